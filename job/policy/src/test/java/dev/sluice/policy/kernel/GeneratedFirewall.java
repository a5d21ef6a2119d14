package dev.sluice.policy.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Policy as {@link RandomFirewall} draws it: tables of chains of rules.
 *
 * @param version 4 or 6
 * @param sets the sets that rules use, as {@code ipset save} prints them
 */
record GeneratedFirewall(int version, String sets, List<Table> tables) {

    record Table(String name, List<Chain> chains) {
        Chain chain(String wanted) {
            return chains.stream().filter(c -> c.name().equals(wanted)).findFirst().orElseThrow();
        }
    }

    /**
     * Chain of rules.
     *
     * @param policy {@code ACCEPT} or {@code DROP} of a base chain, {@code -} of another
     */
    record Chain(String name, String policy, List<Rule> rules) {
        boolean isBase() {
            return !policy.equals("-");
        }
    }

    record Rule(List<GeneratedMatch> matches, Target target) {
        boolean holds(ProbePacket packet) {
            for (GeneratedMatch match : matches) {
                if (!match.formula().holds(packet)) {
                    return false;
                }
            }
            return true;
        }

        /**
         * Returns the rule behind {@code -A CHAIN}; options of one module in a row share its {@code
         * -m}.
         */
        String text() {
            StringBuilder text = new StringBuilder();
            String module = "";
            for (GeneratedMatch match : matches) {
                if (!match.module().equals(module) && !match.module().isEmpty()) {
                    text.append(" -m ").append(match.module());
                }
                module = match.module();
                text.append(' ').append(match.text());
            }
            return text + target.text();
        }
    }

    /** Kind of a {@link Target}. */
    enum TargetKind {
        ACCEPT,
        DROP,
        REJECT,
        RETURN,
        JUMP,
        GOTO,
        MARK,
        NOTRACK,
        LOG,
        /** No target: the rule counts alone. */
        NONE
    }

    /**
     * Target of a rule.
     *
     * @param chain the chain of JUMP and GOTO
     * @param mark value and mask of MARK
     */
    record Target(TargetKind kind, String chain, int mark, int mask) {
        static Target of(TargetKind kind) {
            return new Target(kind, "", 0, 0);
        }

        static Target to(TargetKind kind, String chain) {
            return new Target(kind, chain, 0, 0);
        }

        static Target mark(int mark, int mask) {
            return new Target(TargetKind.MARK, "", mark, mask);
        }

        String text() {
            return switch (kind) {
                case JUMP -> " -j " + chain;
                case GOTO -> " -g " + chain;
                case MARK -> " -j MARK --set-xmark 0x%x/0x%x".formatted(mark, mask);
                case NOTRACK -> " -j CT --notrack";
                case NONE -> "";
                default -> " -j " + kind;
            };
        }
    }

    /** Tells whether the kernel tracks connections as soon as it holds this policy. */
    boolean tracks() {
        return rules().stream()
                .anyMatch(
                        rule ->
                                rule.target().kind() == TargetKind.NOTRACK
                                        || rule.matches().stream()
                                                .anyMatch(match -> match.kind().tracks()));
    }

    List<Rule> rules() {
        return tables.stream()
                .flatMap(table -> table.chains().stream())
                .flatMap(chain -> chain.rules().stream())
                .toList();
    }

    /** Returns the policy with each rule changed. */
    GeneratedFirewall map(UnaryOperator<Rule> change) {
        List<Table> changed = new ArrayList<>();
        for (Table table : tables) {
            changed.add(
                    new Table(
                            table.name(),
                            table.chains().stream()
                                    .map(
                                            chain ->
                                                    new Chain(
                                                            chain.name(),
                                                            chain.policy(),
                                                            chain.rules().stream()
                                                                    .map(change)
                                                                    .toList()))
                                    .toList()));
        }
        return new GeneratedFirewall(version, sets, changed);
    }

    /** Returns the policy as {@code iptables-save} or {@code ip6tables-save} prints it. */
    String save() {
        return tables.stream().map(GeneratedFirewall::save).collect(Collectors.joining());
    }

    private static String save(Table table) {
        StringBuilder text = new StringBuilder("*" + table.name() + "\n");
        for (Chain chain : table.chains()) {
            text.append(":%s %s [0:0]\n".formatted(chain.name(), chain.policy()));
        }
        for (Chain chain : table.chains()) {
            for (Rule rule : chain.rules()) {
                text.append("-A ").append(chain.name()).append(rule.text()).append('\n');
            }
        }
        return text.append("COMMIT\n").toString();
    }
}
