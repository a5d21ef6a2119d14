package dev.sluice.policy.questions;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.questions.BoxList.Region;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.ListDiff.By;
import dev.sluice.policy.questions.PointJudge.Verdict;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Difference of two rule files, of any formats, without traffic.
 *
 * @param pairs the pairs of lines that decide about packets in which the files differ, the largest
 *     first
 * @param total number of pairs; those behind the asked number have no row
 * @param size number of headers in which the files differ, by all pairs
 * @param mayDeny whether the new file denies, or may deny, what the old one does not
 * @param mayPermit whether the new file permits, or may permit, what the old one does not
 * @param oldAlone number of headers that the old file judges, and the new one does not
 * @param newAlone number of headers that the new file judges, and the old one does not
 * @param givenUp number of lines whose search was given up: sizes with them are lower bounds
 * @param warnings what the reader should know, each with its line
 */
public record SemanticDiff(
        List<DiffPair> pairs,
        int total,
        BigInteger size,
        boolean mayDeny,
        boolean mayPermit,
        BigInteger oldAlone,
        BigInteger newAlone,
        int givenUp,
        List<String> warnings) {
    /**
     * The outcome of a rule that stands for itself: permit, deny or the action itself, which is an
     * outcome of its own.
     */
    public static String outcome(String action) {
        return ComparedPolicy.outcome(action);
    }

    /**
     * Returns whether packets have, or may have, an outcome that they had not for certain. Each
     * action that does not deny, such as {@code output:2}, permits.
     *
     * @param denying whether they are asked to be denied; else to be permitted
     */
    public static boolean gains(String before, String after, boolean denying) {
        boolean may = after.equals(Outcome.DEPENDS.label()) || is(after, denying);
        return may && !is(before, denying);
    }

    private static boolean is(String outcome, boolean denying) {
        return !outcome.equals(Outcome.DEPENDS.label())
                && !outcome.equals(FlatPolicy.NOT_JUDGED)
                && outcome.equals(Outcome.DENY.label()) == denying;
    }

    /**
     * Returns whether the files decide alike about all packets, as far as headers tell: a changed
     * limit is no difference.
     */
    public boolean isEmpty() {
        return total == 0 && givenUp == 0 && oldAlone.signum() == 0 && newAlone.signum() == 0;
    }

    /**
     * Wishes of the asker.
     *
     * @param byRule whether packets differ about which another rule of the same outcome decides
     * @param mostPairs most pairs with a row
     * @param mostBoxes most boxes in words, of all pairs; those of the largest come first
     * @param defaultAction of lists whose rules stand for themselves
     */
    public record Asked(boolean byRule, int mostPairs, int mostBoxes, String defaultAction) {}

    /** Lines that decide in both files, and their outcomes. */
    public record Sides(String oldOutcome, Line oldLine, String newOutcome, Line newLine) {}

    /** A file as read: policies of hooks, or one list. */
    private record Side(
            OpenRules text,
            List<Policy> policies,
            @Nullable ComparedPolicy list,
            List<Stage> before,
            List<String> told) {
        AskedFacts interfaces(AskedFacts with) {
            return with.and(policies.stream().flatMap(Policy::conditions), false, null);
        }

        /** Policies that are compared; null: of a file that is one list. */
        record Hooks(@Nullable Policy old, @Nullable Policy fresh) {}

        /** The only policies, or those of each name, which must be in both files. */
        static List<Hooks> hooks(Side before, Side after) {
            if (before.policies.size() <= 1 && after.policies.size() <= 1) {
                return before.policies.isEmpty() && after.policies.isEmpty()
                        ? List.of()
                        : List.of(new Hooks(before.only(), after.only()));
            }
            boolean named = before.policies.size() == 1 || after.policies.size() == 1;
            boolean byOld = before.policies.size() == 1 || !named;
            Side by = byOld ? before : after;
            Side in = byOld ? after : before;
            List<Hooks> hooks = new ArrayList<>();
            for (Policy one : by.policies) {
                Policy other = in.policy(one.name(), by);
                hooks.add(byOld ? new Hooks(one, other) : new Hooks(other, one));
            }
            if (!named || by.policies.isEmpty()) {
                in.policies.forEach(policy -> by.policy(policy.name(), in));
            }
            return hooks;
        }

        private @Nullable Policy only() {
            return policies.isEmpty() ? null : policies.get(0);
        }

        private Policy policy(String name, Side other) {
            for (Policy policy : policies) {
                if (policy.name().equalsIgnoreCase(name)) { // iptables and nft differ in case
                    return policy;
                }
            }
            throw new SluiceException(
                    policies.isEmpty()
                            ? "%s: is one list, and %s has several hooks; name one of them, as in %s#%s"
                                    .formatted(
                                            text.file(), other.text.file(), other.text.file(), name)
                            : "%s: has no hook %s, which %s has; name a hook of each, as in FILE#%s"
                                    .formatted(text.file(), name, other.text.file(), name));
        }
    }

    /**
     * Compares open files. Hooks of the same name are compared; a file with one policy is compared
     * with the only one of the other.
     *
     * @throws SluiceException if hooks of one file have no counterpart in the other
     */
    public static SemanticDiff of(
            OpenRules old, OpenRules fresh, SwitchPorts ports, PolicyOptions options, Asked asked) {
        return of(old, fresh, ports, options, asked, sides -> true);
    }

    /**
     * As {@link #of(OpenRules, OpenRules, SwitchPorts, PolicyOptions, Asked)}, of some pairs alone.
     *
     * @param wanted the pairs that are counted and have rows
     */
    public static SemanticDiff of(
            OpenRules old,
            OpenRules fresh,
            SwitchPorts ports,
            PolicyOptions options,
            Asked asked,
            Predicate<Sides> wanted) {
        Side before = read(old, ports, options, asked);
        Side after = read(fresh, ports, options, asked);
        AskedFacts names = after.interfaces(before.interfaces(AskedFacts.NONE));
        Sum sum = new Sum(asked, names, wanted);
        sum.warnings.addAll(before.told);
        sum.warnings.addAll(after.told);
        Assumptions given = options.assumed().telling(names);
        if (before.policies.isEmpty() && after.policies.isEmpty()) {
            sum.add("", "", list(before, null, given, names), list(after, null, given, names));
        }
        List<Side.Hooks> compared = Side.hooks(before, after);
        for (Side.Hooks hooks : compared) {
            for (ConnectionState state : states(given.state(), hooks.old, hooks.fresh)) {
                Assumptions assumed = given.withState(state);
                boolean asks = asksStates(hooks.old, hooks.fresh);
                sum.add(
                        compared.size() > 1 ? Objects.requireNonNull(hooks.old).name() : "",
                        given.state() == null && asks ? state.label() : "",
                        list(before, hooks.old, assumed, names),
                        list(after, hooks.fresh, assumed, names));
            }
        }
        return sum.diff();
    }

    private static Side read(
            OpenRules text, SwitchPorts ports, PolicyOptions options, Asked asked) {
        if (text.isPolicy()) {
            PolicyFile.Listed listed = PolicyFile.list(text, options);
            return new Side(text, met(listed), null, listed.leftOut(), listed.warnings());
        }
        RuleFile file = RuleFile.read(text, ports, options);
        String name = text.file().toString();
        ComparedPolicy list = ComparedPolicy.of(file.toRuleSet(name, 1, asked.defaultAction()));
        return new Side(text, List.of(), list, List.of(), file.warnings());
    }

    /** The policy of a device as a whole, whose lists are parts of it; else all that are asked. */
    private static List<Policy> met(PolicyFile.Listed listed) {
        Policy whole = listed.all().get("");
        return whole != null && listed.asked().contains(whole) ? List.of(whole) : listed.asked();
    }

    private static ComparedPolicy list(
            Side side, @Nullable Policy policy, Assumptions assumed, AskedFacts names) {
        return policy != null
                ? ComparedPolicy.of(policy, names, assumed.meeting(policy.name()), side.before)
                : Objects.requireNonNull(side.list);
    }

    private static boolean asksStates(@Nullable Policy one, @Nullable Policy other) {
        return Stream.of(one, other).anyMatch(of -> of != null && StageLint.asksStates(of));
    }

    /** The states of connections under which two policies are compared. */
    private static List<ConnectionState> states(
            @Nullable ConnectionState given, @Nullable Policy one, @Nullable Policy other) {
        List<ConnectionState> states = new ArrayList<>();
        states.add(given == null ? ConnectionState.NEW : given);
        if (given == null && asksStates(one, other)) {
            states.add(ConnectionState.ESTABLISHED);
            if (Stream.of(one, other).anyMatch(of -> of != null && of.untracked() != null)) {
                states.add(ConnectionState.UNTRACKED);
            }
        }
        return states;
    }

    /** Differences of several lists. */
    private static final class Sum {
        private static final String NOT_COMPARED =
                "sluice: not compared: conditions that no header tells, such as limits; packets"
                        + " that depend on them in both files differ where lines with other"
                        + " outcomes may decide";

        private static final String MARKS =
                "sluice: undecided: marks, which the files set or ask for in other ways; packets"
                        + " that depend on marks are listed, though they may fare alike";

        private final Asked asked;
        private final AskedFacts names;
        private final Predicate<Sides> wanted;
        final List<String> warnings = new ArrayList<>();
        private final List<Found> found = new ArrayList<>();
        private final BigInteger[] alone = {BigInteger.ZERO, BigInteger.ZERO};
        private int givenUp;

        /** Comparisons that are left for the lists to come. */
        private long budget = ListDiff.BUDGET;

        /** Boxes in words that are left for the rows to come. */
        private int boxes;

        private record Found(
                String hook,
                String state,
                ComparedPolicy old,
                ComparedPolicy fresh,
                ListDiff in,
                ListDiff.Pair pair) {
            BigInteger size() {
                return pair.size;
            }

            Sides sides() {
                return new Sides(
                        label(in, pair.old),
                        line(old, in, pair.old),
                        label(in, pair.fresh),
                        line(fresh, in, pair.fresh));
            }
        }

        Sum(Asked asked, AskedFacts names, Predicate<Sides> wanted) {
            this.asked = asked;
            this.names = names;
            this.wanted = wanted;
            boxes = asked.mostBoxes;
        }

        void add(String hook, String state, ComparedPolicy old, ComparedPolicy fresh) {
            By by = asked.byRule ? By.RULE : By.OUTCOME;
            ListDiff diff = new ListDiff(new PairedLists(old, fresh), by, asked.mostBoxes);
            diff.run(budget)
                    .forEach(pair -> found.add(new Found(hook, state, old, fresh, diff, pair)));
            budget -= diff.steps();
            if (!diff.lists.marked.isEmpty() && !warnings.contains(MARKS)) {
                warnings.add(MARKS);
            }
            if (old.mayDoubtOtherwise(fresh) && !warnings.contains(NOT_COMPARED)) {
                warnings.add(NOT_COMPARED);
            }
            alone[0] = alone[0].add(diff.alone[0]);
            alone[1] = alone[1].add(diff.alone[1]);
            givenUp += diff.givenUp.get(0).size() + diff.givenUp.get(1).size();
        }

        SemanticDiff diff() {
            found.removeIf(one -> !wanted.test(one.sides()));
            found.sort(
                    Comparator.comparing(Found::size)
                            .reversed()
                            .thenComparing(one -> line(one.old, one.in, one.pair.old))
                            .thenComparing(one -> line(one.fresh, one.in, one.pair.fresh)));
            List<Found> first = found.stream().limit(asked.mostPairs).toList();
            check(first);
            List<DiffPair> rows = new ArrayList<>();
            first.forEach(one -> rows.add(row(one)));
            BigInteger size =
                    found.stream().map(Found::size).reduce(BigInteger.ZERO, BigInteger::add);
            return new SemanticDiff(
                    rows,
                    found.size(),
                    size,
                    givenUp > 0 || found.stream().anyMatch(one -> gains(one, true)),
                    givenUp > 0 || found.stream().anyMatch(one -> gains(one, false)),
                    alone[0],
                    alone[1],
                    givenUp,
                    List.copyOf(warnings));
        }

        /** Judges the packets of rows by linear search. */
        private static void check(List<Found> rows) {
            Map<ListDiff, List<Found>> byLists = new LinkedHashMap<>();
            rows.forEach(
                    one -> byLists.computeIfAbsent(one.in, none -> new ArrayList<>()).add(one));
            for (List<Found> all : byLists.values()) {
                List<int[]> packets = new ArrayList<>();
                for (Found one : all) {
                    if (one.pair.witness == null) {
                        throw new IllegalStateException("no packet: " + one.sides());
                    }
                    packets.add(one.pair.witness);
                }
                List<@Nullable Verdict> old = PointJudge.judge(all.get(0).old, packets);
                List<@Nullable Verdict> fresh = PointJudge.judge(all.get(0).fresh, packets);
                for (int i = 0; i < all.size(); i++) {
                    Found one = all.get(i);
                    ListDiff.Pair pair = one.pair;
                    Verdict before = new Verdict(label(one.in, pair.old), one.in.line(pair.old));
                    Verdict after = new Verdict(label(one.in, pair.fresh), one.in.line(pair.fresh));
                    if (!before.equals(old.get(i)) || !after.equals(fresh.get(i))) {
                        throw new IllegalStateException("not a packet of: " + one.sides());
                    }
                }
            }
        }

        private static boolean gains(Found one, boolean denying) {
            return SemanticDiff.gains(
                    label(one.in, one.pair.old), label(one.in, one.pair.fresh), denying);
        }

        private static Line line(ComparedPolicy of, ListDiff in, PieceWalk.Answer answer) {
            return of.lines().get(in.line(answer));
        }

        private DiffPair row(Found one) {
            ListDiff.Pair pair = one.pair;
            HeaderSpace space = one.in.lists.boxes.space;
            RegionWords words = new RegionWords(space, names);
            String before = label(one.in, pair.old);
            String after = label(one.in, pair.fresh);
            int[] witness = Objects.requireNonNull(pair.witness);
            List<Region> merged =
                    pair.regions == pair.kept.size() ? MergedRegions.of(pair.kept) : List.of();
            List<Region> some = merged.isEmpty() ? pair.kept : merged;
            boolean exact =
                    !pair.atLeast && one.in.count.of(words.named(pair.hull)).equals(pair.size);
            List<String> told = some.stream().limit(boxes).map(words::of).toList();
            boxes -= told.size();
            return new DiffPair(
                    one.hook,
                    one.state,
                    before,
                    line(one.old, one.in, pair.old),
                    after,
                    line(one.fresh, one.in, pair.fresh),
                    pair.size,
                    pair.atLeast,
                    words.of(pair.hull),
                    exact,
                    witness,
                    PacketWords.of(witness, names),
                    told,
                    merged.isEmpty() ? pair.regions : merged.size());
        }

        private static String label(ListDiff in, PieceWalk.Answer answer) {
            return answer.outcome() == PieceWalk.DEPENDS
                    ? Outcome.DEPENDS.label()
                    : in.lists.outcomes.get(answer.outcome());
        }
    }
}
