package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import dev.sluice.policy.kernel.GeneratedFirewall.Table;
import dev.sluice.policy.kernel.GeneratedFirewall.TargetKind;
import dev.sluice.policy.kernel.KernelAnswer.Step;
import dev.sluice.policy.kernel.KernelAnswer.Walk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Counts what packets reached in the kernel: each match, negated or not, by the depth of calls and
 * by what its rule did to the walk. Tells what lacks, so that policies are drawn towards it.
 */
final class FirewallCoverage {
    /** Deepest level that is counted apart; deeper ones count as this one. */
    private static final int DEEPEST = 3;

    /** Cells among which a wish is the one that was reached least. */
    private static final int WISHES = 12;

    private final Map<Cell, Long> counts = new LinkedHashMap<>();
    private long packets;
    private long passed;

    /** Effect of a rule on the walk. */
    enum Deed {
        VERDICT,
        RETURN,
        GOTO
    }

    /** Match in a rule at a depth of calls that did something. */
    record Cell(MatchKind kind, boolean negated, int depth, Deed deed) {
        String match() {
            return (negated ? "! " : "") + kind;
        }
    }

    /** Makes an empty table of all cells that packets of a version can reach. */
    FirewallCoverage(int version) {
        for (MatchKind kind : MatchKind.values()) {
            for (boolean negated : new boolean[] {false, true}) {
                boolean never = kind == MatchKind.PHYSICAL_DEVICE && !negated; // no bridge here
                if (!kind.isOf(version) || negated && !kind.isNegatable() || never) {
                    continue;
                }
                for (int depth = 0; depth <= DEEPEST; depth++) {
                    for (Deed deed : Deed.values()) {
                        counts.put(new Cell(kind, negated, depth, deed), 0L);
                    }
                }
            }
        }
    }

    void add(GeneratedFirewall firewall, KernelAnswer answer) {
        packets++;
        passed += answer.passed() ? 1 : 0;
        cells(firewall, answer).forEach(cell -> counts.merge(cell, 1L, Long::sum));
    }

    private static List<Cell> cells(GeneratedFirewall firewall, KernelAnswer answer) {
        List<Cell> cells = new ArrayList<>();
        for (Walk walk : answer.walks()) {
            String table = walk.decision().table();
            firewall.tables().stream()
                    .filter(held -> held.name().equals(table))
                    .forEach(held -> addWalk(held, walk, cells));
        }
        return cells;
    }

    private static void addWalk(Table table, Walk walk, List<Cell> cells) {
        Deque<Integer> depths = new ArrayDeque<>(); // of the chains to which jumps return
        int depth = 0;
        for (Step step : walk.steps()) {
            Rule rule =
                    step.isEnd() ? null : table.chain(step.chain()).rules().get(step.rule() - 1);
            TargetKind target = rule == null ? TargetKind.RETURN : rule.target().kind();
            switch (target) {
                case ACCEPT, DROP, REJECT -> addRule(rule, depth, Deed.VERDICT, cells);
                case RETURN -> {
                    if (rule != null) {
                        addRule(rule, depth, Deed.RETURN, cells);
                    }
                    depth = depths.isEmpty() ? 0 : depths.pop();
                }
                case GOTO -> {
                    addRule(rule, depth, Deed.GOTO, cells);
                    depth++;
                }
                case JUMP -> depths.push(depth++);
                default -> {}
            }
        }
    }

    private static void addRule(Rule rule, int depth, Deed deed, List<Cell> cells) {
        for (GeneratedMatch match : rule.matches()) {
            cells.add(new Cell(match.kind(), match.negated(), Math.min(depth, DEEPEST), deed));
        }
    }

    double passedShare() {
        return (double) passed / packets;
    }

    long packets() {
        return packets;
    }

    /** Returns how often the rarest of the cells was reached that a packet reaches. */
    long rarest(GeneratedFirewall firewall, KernelAnswer answer) {
        return cells(firewall, answer).stream().mapToLong(counts::get).min().orElse(Long.MAX_VALUE);
    }

    /** Draws a cell of some kinds of matches that was reached less than others. */
    Cell wish(List<MatchKind> kinds, Random random) {
        List<Cell> able =
                counts.keySet().stream().filter(cell -> kinds.contains(cell.kind())).toList();
        Cell wish = able.get(random.nextInt(able.size()));
        for (int i = 1; i < WISHES; i++) {
            Cell other = able.get(random.nextInt(able.size()));
            wish = counts.get(other) < counts.get(wish) ? other : wish;
        }
        return wish;
    }

    /** Returns a sentence for each cell that was reached more seldom than a goal. */
    List<String> lacking(long goal) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() < goal)
                .map(
                        entry ->
                                "%s at depth %d decided a %s %d times of %d"
                                        .formatted(
                                                entry.getKey().match(),
                                                entry.getKey().depth(),
                                                words(entry.getKey().deed()),
                                                entry.getValue(),
                                                goal))
                .toList();
    }

    private static String words(Deed deed) {
        return deed.name().toLowerCase(Locale.ROOT);
    }

    /** Begins a table of the deciding rules of each match, by depth and by what they did. */
    static StringBuilder tableHead(long packets, double passedShare, int deepest) {
        StringBuilder text = new StringBuilder();
        text.append("%,d packets, %.0f %% passed\n".formatted(packets, 100 * passedShare));
        text.append("%-24s".formatted("match"));
        for (int depth = 0; depth <= deepest; depth++) {
            text.append(" %26s".formatted("depth " + depth + (depth == deepest ? "+" : "")));
        }
        text.append("\n%-24s".formatted(""));
        for (int depth = 0; depth <= deepest; depth++) {
            text.append(" %10s %7s %7s".formatted("verdict", "return", "goto"));
        }
        return text;
    }

    /**
     * Returns a row a match: for each depth how often its rule gave the verdict, returned, went to.
     */
    String table() {
        StringBuilder text = tableHead(packets, passedShare(), DEEPEST);
        counts.forEach(
                (cell, count) -> {
                    if (cell.depth() == 0 && cell.deed() == Deed.VERDICT) {
                        text.append("\n%-24s".formatted(cell.match()));
                    }
                    text.append((cell.deed() == Deed.VERDICT ? " %10d" : " %7d").formatted(count));
                });
        return text.append('\n').toString();
    }
}
