package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Table;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import dev.sluice.policy.kernel.KernelAnswer.Step;
import dev.sluice.policy.kernel.KernelAnswer.Walk;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts what packets reached in the kernel: each match, negated or not, by the depth of calls and
 * by what its rule did to the walk.
 */
final class FirewallCoverage {
    /** Deepest level that is counted apart; deeper ones count as this one. */
    private static final int DEEPEST = 3;

    private static final List<String> DEEDS = List.of("verdict", "return", "goto");

    private final Map<String, long[][]> counts = new TreeMap<>();
    private long packets;
    private long passed;

    void add(GeneratedFirewall firewall, KernelAnswer answer) {
        packets++;
        passed += answer.passed() ? 1 : 0;
        for (Walk walk : answer.walks()) {
            String table = walk.decision().table();
            firewall.tables().stream()
                    .filter(held -> held.name().equals(table))
                    .forEach(held -> addWalk(held, walk));
        }
    }

    private void addWalk(Table table, Walk walk) {
        Deque<Integer> depths = new ArrayDeque<>(); // of the chains to which jumps return
        int depth = 0;
        for (Step step : walk.steps()) {
            Rule rule =
                    step.isEnd() ? null : table.chain(step.chain()).rules().get(step.rule() - 1);
            TargetKind target = rule == null ? TargetKind.RETURN : rule.target().kind();
            switch (target) {
                case ACCEPT, DROP, REJECT -> count(rule, depth, 0);
                case RETURN -> {
                    if (rule != null) {
                        count(rule, depth, 1);
                    }
                    depth = depths.isEmpty() ? 0 : depths.pop();
                }
                case GOTO -> {
                    count(rule, depth, 2);
                    depth++;
                }
                case JUMP -> depths.push(depth++);
                default -> {}
            }
        }
    }

    private void count(Rule rule, int depth, int deed) {
        for (GeneratedMatch match : rule.matches()) {
            counts.computeIfAbsent(match.toString(), m -> new long[DEEPEST + 1][DEEDS.size()])[
                    Math.min(depth, DEEPEST)][deed]++;
        }
    }

    double passedShare() {
        return (double) passed / packets;
    }

    /** Returns the smallest count of a table's cell. */
    long least() {
        return counts.values().stream()
                .flatMap(Arrays::stream)
                .flatMapToLong(Arrays::stream)
                .min()
                .orElse(0);
    }

    /**
     * Returns a row a match: for each depth how often its rule gave the verdict, returned, went to.
     */
    String table() {
        StringBuilder text = new StringBuilder();
        text.append("%,d packets, %.0f %% passed\n".formatted(packets, 100 * passedShare()));
        text.append("%-24s".formatted("match"));
        for (int depth = 0; depth <= DEEPEST; depth++) {
            text.append(
                    " %26s"
                            .formatted(
                                    "depth "
                                            + depth
                                            + (depth == DEEPEST ? "+ " : " ")
                                            + String.join(" ", DEEDS)));
        }
        counts.forEach(
                (match, rows) -> {
                    text.append("\n%-24s".formatted(match));
                    for (long[] row : rows) {
                        text.append(" %10d %7d %7d".formatted(row[0], row[1], row[2]));
                    }
                });
        return text.append('\n').toString();
    }
}
