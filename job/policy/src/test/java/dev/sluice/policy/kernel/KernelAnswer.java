package dev.sluice.policy.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The kernel's word on a packet.
 *
 * @param passed whether the packet came through all chains of its way
 * @param steps the rules that matched, in the kernel's order
 */
record KernelAnswer(boolean passed, List<Step> steps) {
    private static final Set<String> BASE_CHAINS =
            Set.of("PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING");

    /**
     * Rule that matched.
     *
     * @param rule number in the chain, from 1; 0 is the end of the chain: the policy of a base
     *     chain
     */
    record Step(String table, String chain, int rule) {
        String where() {
            return table + "/" + chain;
        }

        boolean isEnd() {
            return rule == 0;
        }

        @Override
        public String toString() {
            return where() + (isEnd() ? ":end" : ":" + rule);
        }
    }

    /**
     * Walk through one base chain and all that it calls.
     *
     * @param steps the last one decided
     */
    record Walk(String baseChain, List<Step> steps) {
        Step decision() {
            return steps.get(steps.size() - 1);
        }
    }

    KernelAnswer {
        steps = List.copyOf(steps);
    }

    /** Returns a walk for each base chain of iptables that the packet met, in order. */
    List<Walk> walks() {
        List<Walk> walks = new ArrayList<>();
        String base = "";
        for (Step step : steps) {
            if (BASE_CHAINS.contains(step.chain()) && !step.where().equals(base)) {
                base = step.where();
                walks.add(new Walk(base, new ArrayList<>()));
            }
            walks.get(walks.size() - 1).steps().add(step);
        }
        return walks;
    }

    /** Returns the step that decided in each base chain of iptables, in order. */
    List<Step> decisions() {
        return walks().stream().map(Walk::decision).toList();
    }
}
