package dev.sluice.policy.openflow;

import static java.util.Comparator.comparingInt;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.RuleLine;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.io.Amount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Flows that decide together (ovs-fields(7), "Conjunctive Match Fields"). A packet that has a match
 * in each clause of a conjunction, at one priority, is decided by the flow with its {@code
 * conj_id}. Each combination of the clauses' matches becomes a box of that flow.
 *
 * <p>Once a conjunction is complete, a switch takes the flow of highest priority among its conj_id
 * flows and those that decide alone: it overlooks conjunctions of lower priority, and flows whose
 * match a flow of a conjunction has. At one priority it prefers a flow that decides alone, and
 * takes either of two conjunctions. Flows whose boxes could say something else are refused.
 */
final class Conjunctions {
    /** Most steps in a search through combinations, and most boxes of a conjunction. */
    private static final int MOST = 200_000;

    private final Collection<Flow> flows;

    /** By priority, the lowest first, then by number. */
    private final Map<Integer, Map<Long, Conjunction>> byPriority = new TreeMap<>();

    /**
     * Flow of a file.
     *
     * @param line number of its line
     */
    record Flow(int line, FlowLine said, String text) {}

    /** Conjunction at one priority. */
    private static final class Conjunction {
        final long id;
        final int priority;
        final int line;
        final List<List<Match>> clauses = new ArrayList<>();

        Conjunction(long id, Flow first, int clauseCount) {
            this.id = id;
            this.priority = first.said().rule().priority();
            this.line = first.line();
            for (int i = 0; i < clauseCount; i++) {
                clauses.add(new ArrayList<>());
            }
        }
    }

    Conjunctions(Collection<Flow> flows) {
        this.flows = flows;
    }

    /** Adds the boxes of all conjunctions. */
    void read(RuleReading in) {
        flows.forEach(flow -> take(in, flow));
        for (Flow flow : flows) {
            long id = flow.said().conjunction();
            if (id != 0 && byPriority.values().stream().noneMatch(all -> all.containsKey(id))) {
                in.warn(flow.line(), "takes no packet: no flow is part of conjunction " + id);
            }
        }
        boolean lower = false;
        for (Map<Long, Conjunction> equal : byPriority.values()) {
            List<Conjunction> all = List.copyOf(equal.values());
            for (int i = 0; i < all.size(); i++) {
                Conjunction each = all.get(i);
                try {
                    requireApart(each, all.subList(0, i));
                    add(in, each, lower);
                } catch (RuleSyntaxException e) {
                    in.defect(each.line, e);
                }
            }
            lower = true;
        }
    }

    private void take(RuleReading in, Flow flow) {
        for (FlowActions.Clause clause : flow.said().clauses()) {
            Conjunction of =
                    byPriority
                            .computeIfAbsent(flow.said().rule().priority(), p -> new TreeMap<>())
                            .computeIfAbsent(
                                    clause.id(), id -> new Conjunction(id, flow, clause.of()));
            if (of.clauses.size() != clause.of()) {
                in.defect(
                        flow.line(),
                        defect(
                                of,
                                "has %d clauses in line %d and %d here; write the same number"
                                        .formatted(of.clauses.size(), of.line, clause.of())));
            } else {
                of.clauses.get(clause.number() - 1).add(flow.said().rule().match());
            }
        }
    }

    private static RuleSyntaxException defect(Conjunction of, String words) {
        return new RuleSyntaxException(1, "conjunction(%d,...)".formatted(of.id), words);
    }

    /** Requires that no packet completes two conjunctions of one priority. */
    private static void requireApart(Conjunction one, List<Conjunction> others)
            throws RuleSyntaxException {
        for (Conjunction other : others) {
            List<List<Match>> both = new ArrayList<>(one.clauses);
            both.addAll(other.clauses);
            if (!new Search(both, box -> false).run()) {
                throw defect(
                        one,
                        "shares packets and priority %d with conjunction %d, and a switch takes either; give one another priority"
                                .formatted(one.priority, other.id));
            }
        }
    }

    private void add(RuleReading in, Conjunction of, boolean lower) throws RuleSyntaxException {
        List<Flow> takers =
                flows.stream()
                        .filter(flow -> flow.said().conjunction() == of.id)
                        .sorted(comparingInt((Flow f) -> f.said().rule().priority()).reversed())
                        .toList();
        for (Flow taker : takers) {
            requireNothingBetween(of, taker.said().rule().priority());
        }
        List<Match> boxes = new ArrayList<>();
        new Search(of.clauses, boxes::add).run();
        if (boxes.isEmpty()) {
            in.warn(of.line, "conjunction %d takes no packet".formatted(of.id));
        } else if (takers.isEmpty()) {
            in.warn(
                    of.line,
                    "conjunction %d decides nothing: no flow has its conj_id".formatted(of.id));
        }
        boolean untaken =
                boxes.stream().anyMatch(box -> takers.stream().noneMatch(t -> covers(t, box)));
        Flow hidden = untaken ? hidden() : null;
        if (untaken && lower || hidden != null) {
            throw defect(
                    of,
                    "has packets that no conj_id flow takes, and a switch then overlooks %s; add a flow conj_id=%d that takes them"
                            .formatted(
                                    hidden == null
                                            ? "conjunctions of lower priority"
                                            : "line %d, whose match is that of a flow of a conjunction"
                                                    .formatted(hidden.line()),
                                    of.id));
        }
        for (Flow taker : takers) {
            RuleLine said = taker.said().rule();
            for (Match box : boxes) {
                Match taken = intersection(box, said.match());
                if (taken != null) {
                    in.add(
                            taker.line(),
                            new RuleLine(of.priority, taken, said.action()),
                            taker.text());
                }
            }
        }
    }

    /** Requires that the rank of the conjunction and that of its flow are as good as one. */
    private void requireNothingBetween(Conjunction of, int priority) throws RuleSyntaxException {
        for (Flow flow : flows) {
            int there = flow.said().rule().priority();
            if (isAlone(flow) && there >= priority && there < of.priority) {
                throw defect(
                        of,
                        "has a conj_id flow of priority %d, and line %d lies between; give that flow priority %d"
                                .formatted(priority, flow.line(), of.priority));
            }
        }
    }

    /** A flow that decides alone behind one of a conjunction that has its match; null: none. */
    private @Nullable Flow hidden() {
        Map<Match, Integer> highest = new HashMap<>();
        for (Flow flow : flows) {
            if (!flow.said().clauses().isEmpty()) {
                RuleLine rule = flow.said().rule();
                highest.merge(rule.match(), rule.priority(), Math::max);
            }
        }
        for (Flow flow : flows) {
            RuleLine rule = flow.said().rule();
            if (isAlone(flow) && highest.getOrDefault(rule.match(), -1) > rule.priority()) {
                return flow;
            }
        }
        return null;
    }

    /** Returns whether a flow decides without others. */
    static boolean isAlone(Flow flow) {
        return flow.said().conjunction() == 0 && flow.said().clauses().isEmpty();
    }

    private static boolean covers(Flow flow, Match box) {
        Match taken = intersection(box, flow.said().rule().match());
        return taken != null && taken.equals(box);
    }

    /** Search through the combinations of clauses that hold a packet. */
    private static final class Search {
        private final List<List<Match>> clauses;
        private final Predicate<Match> found;
        private int steps;

        /**
         * A search.
         *
         * @param found takes each combination; false: the search is over
         */
        Search(List<List<Match>> clauses, Predicate<Match> found) {
            this.clauses = clauses;
            this.found = found;
        }

        /** Returns whether all combinations were taken. */
        boolean run() throws RuleSyntaxException {
            return from(0, new Match.Builder().build());
        }

        private boolean from(int clause, Match box) throws RuleSyntaxException {
            if (clause == clauses.size()) {
                return found.test(box);
            }
            for (Match match : clauses.get(clause)) {
                if (++steps > MOST) {
                    throw new RuleSyntaxException(
                            1,
                            "conjunction",
                            "has clauses of %s flows, and more than %s of them; write fewer"
                                    .formatted(
                                            clauses.stream().map(List::size).toList(),
                                            Amount.of(MOST, "combination")));
                }
                Match both = intersection(box, match);
                if (both != null && !from(clause + 1, both)) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The packets of both; null: none. Flows know masks of ports, and no ranges. */
    private static @Nullable Match intersection(Match a, Match b) {
        Match.Builder both = new Match.Builder();
        for (long left = a.usedWords() | b.usedWords(); left != 0; left &= left - 1) {
            int word = Long.numberOfTrailingZeros(left);
            if (((a.value(word) ^ b.value(word)) & a.mask(word) & b.mask(word)) != 0) {
                return null;
            }
            both.word(word, a.value(word), a.mask(word)).word(word, b.value(word), b.mask(word));
        }
        return both.build();
    }
}
