package dev.sluice.policy.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.model.AskedFacts;
import dev.sluice.policy.questions.LintRule.Line;
import dev.sluice.policy.questions.MatchEntry.Hidden;
import dev.sluice.policy.questions.RuleFinding.Need;
import dev.sluice.policy.questions.RuleFinding.Reach;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Findings about random lists against those of all headers of a small domain. */
class LintTest {
    private static final int LISTS = 1_500;

    @Test
    void everyFindingIsThatOfAllHeaders() {
        Map<Reach, Integer> reaches = new EnumMap<>(Reach.class);
        Map<Need, Integer> needs = new EnumMap<>(Need.class);
        int unions = 0;
        int conflicts = 0;
        int sure = 0;
        List<int[]> headers = SmallDomain.headers();
        for (int seed = 0; seed < LISTS; seed++) {
            Random random = new Random(seed);
            SmallDomain.Rules rules = SmallDomain.rules(random);
            List<RuleFinding> findings =
                    Lint.of(rules.entries(), rules.outcomes(), rules.outcomes().size() - 1);
            AllHeaders all = new AllHeaders(rules, headers);
            for (int each = 0; each < findings.size(); each++) {
                int owner = each;
                RuleFinding finding = findings.get(owner);
                String where = "seed %d, rule %d: %s".formatted(seed, owner, finding);
                reaches.merge(finding.reach(), 1, Integer::sum);
                needs.merge(finding.need(), 1, Integer::sum);
                unions += finding.covering().size() > 1 ? 1 : 0;
                conflicts += finding.conflict() == null ? 0 : 1;
                assertEquals(all.isLive(owner) ? Reach.LIVE : Reach.DEAD, finding.reach(), where);
                if (finding.reach() == Reach.LIVE) {
                    int[] witness = assertNotNullOf(finding.witness());
                    assertTrue(all.wins(owner, witness), where);
                    if (!finding.doubtful()) {
                        assertTrue(all.winsForCertain(owner, witness), where);
                        sure++;
                    }
                } else {
                    assertTrue(all.isCovered(owner, finding.covering()), where);
                    List<Integer> live =
                            IntStream.range(0, findings.size())
                                    .filter(other -> other != owner && all.isLive(other))
                                    .boxed()
                                    .toList();
                    assertTrue(
                            live.containsAll(finding.covering()) || !all.isCovered(owner, live),
                            where);
                    for (Integer dropped : finding.covering()) {
                        List<Integer> fewer = new ArrayList<>(finding.covering());
                        fewer.remove(dropped);
                        assertFalse(all.isCovered(owner, fewer), where);
                    }
                }
                if (finding.need() != Need.NOT_ASKED) {
                    assertEquals(
                            all.isNeeded(owner) ? Need.NEEDED : Need.REDUNDANT,
                            finding.need(),
                            where);
                    assertEquals(all.hasConflict(owner), finding.conflict() != null, where);
                }
                if (finding.need() == Need.REDUNDANT) {
                    assertTrue(all.isCoveredBehind(owner, finding.behind()), where);
                }
            }
        }
        assertTrue(sure > 5_000, "for certain: " + sure);
        assertTrue(unions > 300, "dead by several rules: " + unions);
        assertTrue(conflicts > 300, "in conflict: " + conflicts);
        assertTrue(needs.getOrDefault(Need.REDUNDANT, 0) > 300, "redundant: " + needs);
        assertTrue(reaches.getOrDefault(Reach.DEAD, 0) > 1_000, "dead: " + reaches);
    }

    @Test
    void packetsThatNobodyHidesCoverToo() {
        Match all = new Match.Builder().build();
        Match tcp = new Match.Builder().field(Field.IP_PROTO, 6).build();
        Match odd = new Match.Builder().field(Field.IP_PROTO, 6).field(Field.TOS, 1, 1).build();
        Hidden hidden = new Hidden(odd, MatchEntry.NOBODY, true, null);
        List<MatchEntry> entries =
                List.of(
                        new MatchEntry(tcp, 0, true, true, hidden),
                        new MatchEntry(tcp, 1, true, true, hidden),
                        new MatchEntry(all, 2, true, true));
        RuleFinding finding = Lint.of(entries, List.of("deny", "permit", "deny"), 2).get(1);
        assertEquals(Reach.DEAD, finding.reach());
        assertEquals(List.of(0), finding.covering());
    }

    @Test
    void listWhoseProofWasGivenUpMayNeedTheRule() {
        Line line = new Line("rules", 1, "", "permit", "rule");
        LintFold fold = new LintFold(line, null);
        RuleFinding redundant =
                new RuleFinding(
                        Reach.LIVE, null, false, List.of(), true, Need.REDUNDANT, List.of(), null);
        RuleFinding undecided =
                new RuleFinding(
                        Reach.UNDECIDED,
                        null,
                        false,
                        List.of(),
                        false,
                        Need.NOT_ASKED,
                        List.of(),
                        null);
        fold.add(redundant, List.of(line), false, AskedFacts.NONE, "");
        assertEquals(Need.REDUNDANT, fold.rule().need());
        fold.add(undecided, List.of(line), false, AskedFacts.NONE, "");
        assertEquals(Need.UNDECIDED, fold.rule().need());
    }

    @Test
    void proofsOfAQuestionShareItsBudget() {
        List<MatchEntry> entries = new ArrayList<>();
        for (int port = 0; port < 64; port++) {
            Match one = new Match.Builder().field(Field.DST_PORT, port).build();
            entries.add(new MatchEntry(one, port, true, true));
        }
        BoxList boxes = new BoxList(HeaderSpace.of(entries), entries);
        int[] all = IntStream.range(0, 64).map(i -> boxes.impossible + i).toArray();
        BoxList.Region region = boxes.region(all[0]);
        CoverProof proof = new CoverProof(boxes, 100);
        for (int question = 0; question < 3; question++) {
            proof.begin();
            assertEquals(CoverProof.Result.COVERED, proof.prove(region, new int[] {all[0]}));
            assertEquals(CoverProof.Result.UNDECIDED, proof.prove(region, all));
            assertEquals(CoverProof.Result.UNDECIDED, proof.prove(region, new int[] {all[0]}));
        }
    }

    /** When all questions have used much, those that are left have a part of a budget each. */
    @Test
    void questionsShareABudgetToo() {
        Match tcp = new Match.Builder().field(Field.IP_PROTO, 6).build();
        List<MatchEntry> entries = List.of(new MatchEntry(tcp, 0, true, true));
        CoverProof proof = new CoverProof(new BoxList(HeaderSpace.of(entries), entries), 1_000);
        int whole = 0;
        for (int question = 0; question < 100; question++) {
            proof.begin();
            whole += proof.spend(900) ? 0 : 1;
        }
        assertTrue(whole > 50 && whole < 60, "questions with a whole budget: " + whole);
        proof.begin();
        assertFalse(proof.spend(20));
    }

    private static int[] assertNotNullOf(int[] header) {
        assertNotNull(header);
        return header;
    }

    /** Answers by going through all headers. */
    private static final class AllHeaders {
        private final SmallDomain.Rules rules;

        /** Headers of each entry's box. */
        private final List<BitSet> whole = new ArrayList<>();

        /** Headers that may come to each entry. */
        private final List<BitSet> held = new ArrayList<>();

        /** Headers that come to each entry for certain. */
        private final List<BitSet> sure = new ArrayList<>();

        private final Map<Match, BitSet> known = new HashMap<>();

        AllHeaders(SmallDomain.Rules rules, List<int[]> headers) {
            this.rules = rules;
            for (MatchEntry entry : rules.entries()) {
                BitSet box = of(entry.match(), headers);
                BitSet may = (BitSet) box.clone();
                BitSet must = (BitSet) box.clone();
                for (Hidden one = entry.hidden(); one != null; one = one.outer()) {
                    must.andNot(of(one.match(), headers));
                    if (one.certain()) {
                        may.andNot(of(one.match(), headers));
                    }
                }
                whole.add(box);
                held.add(may);
                sure.add(must);
            }
        }

        private BitSet of(Match match, List<int[]> headers) {
            return known.computeIfAbsent(
                    match,
                    m -> {
                        BitSet of = new BitSet();
                        for (int i = 0; i < headers.size(); i++) {
                            of.set(i, m.matches(headers.get(i)));
                        }
                        return of;
                    });
        }

        private MatchEntry entry(int at) {
            return rules.entries().get(at);
        }

        private boolean covers(int at) {
            return entry(at).decides() && entry(at).certain();
        }

        /** Headers that the owner's entry gets, of those before an end. */
        private BitSet won(int owner, int at, int end) {
            BitSet won = (BitSet) held.get(at).clone();
            for (int before = 0; before < end; before++) {
                if (covers(before) && entry(before).owner() != owner) {
                    won.andNot(sure.get(before));
                }
            }
            return won;
        }

        boolean isLive(int owner) {
            for (int at = 0; at < held.size(); at++) {
                if (entry(at).owner() == owner && !won(owner, at, at).isEmpty()) {
                    return true;
                }
            }
            return false;
        }

        boolean wins(int owner, int[] header) {
            for (MatchEntry entry : rules.entries()) {
                boolean may = entry.match().matches(header);
                boolean must = may;
                for (Hidden one = entry.hidden(); one != null; one = one.outer()) {
                    boolean leaves = one.match().matches(header);
                    may &= !(leaves && one.certain());
                    must &= !leaves;
                }
                if (may && entry.owner() == owner) {
                    return true;
                }
                if (must && entry.decides() && entry.certain()) {
                    return false;
                }
            }
            return false;
        }

        boolean winsForCertain(int owner, int[] header) {
            for (MatchEntry entry : rules.entries()) {
                boolean may = entry.match().matches(header);
                boolean must = may && entry.certain();
                for (Hidden one = entry.hidden(); one != null; one = one.outer()) {
                    boolean leaves = one.match().matches(header);
                    may &= !(leaves && one.certain());
                    must &= !leaves;
                }
                if (must && entry.owner() == owner) {
                    return true;
                }
                if (may && entry.decides() && entry.owner() != owner) {
                    return false;
                }
            }
            return false;
        }

        boolean isCovered(int owner, List<Integer> by) {
            for (int at = 0; at < held.size(); at++) {
                BitSet left = (BitSet) whole.get(at).clone();
                for (Hidden one = entry(at).hidden(); one != null; one = one.outer()) {
                    boolean counts = one.owner() == MatchEntry.NOBODY || by.contains(one.owner());
                    if (one.certain() && counts) {
                        left.andNot(known.get(one.match()));
                    }
                }
                for (int before = 0; before < at; before++) {
                    int other = entry(before).owner();
                    if (covers(before) && (other == MatchEntry.NOBODY || by.contains(other))) {
                        left.andNot(sure.get(before));
                    }
                }
                if (entry(at).owner() == owner && !left.isEmpty()) {
                    return false;
                }
            }
            return true;
        }

        private boolean differs(int owner, int at) {
            int other = entry(at).owner();
            return entry(at).decides()
                    && other != owner
                    && other != MatchEntry.NOBODY
                    && !rules.outcomes().get(other).equals(rules.outcomes().get(owner));
        }

        boolean isNeeded(int owner) {
            for (int at = 0; at < held.size(); at++) {
                for (int later = at + 1; later < held.size(); later++) {
                    if (entry(at).owner() == owner && differs(owner, later)) {
                        BitSet both = won(owner, at, later);
                        both.and(held.get(later));
                        if (!both.isEmpty()) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        boolean isCoveredBehind(int owner, List<Integer> behind) {
            for (int at = 0; at < held.size(); at++) {
                if (entry(at).owner() != owner) {
                    continue;
                }
                BitSet left = won(owner, at, at);
                for (int later = at + 1; later < held.size(); later++) {
                    if (covers(later) && behind.contains(entry(later).owner())) {
                        left.andNot(sure.get(later));
                    }
                }
                if (!left.isEmpty()) {
                    return false;
                }
            }
            return true;
        }

        private BitSet of(int owner, List<BitSet> of) {
            BitSet all = new BitSet();
            for (int at = 0; at < held.size(); at++) {
                if (entry(at).owner() == owner) {
                    all.or(of.get(at));
                }
            }
            return all;
        }

        /** Entries of later fragments that may belong to packets of the owner's others. */
        private boolean isOfUnsureFragments(int at) {
            return isUnsureFragment(entry(at))
                    && rules.entries().stream()
                            .filter(one -> one.owner() == entry(at).owner())
                            .anyMatch(one -> !isUnsureFragment(one));
        }

        private static boolean isUnsureFragment(MatchEntry one) {
            int fragment = Field.FRAGMENT.extract(one.match().value(Field.FRAGMENT.word()));
            return !one.certain() && fragment >= 2;
        }

        boolean hasConflict(int owner) {
            for (int at = 0; at < held.size(); at++) {
                for (int before = 0; before < at; before++) {
                    if (entry(at).owner() == owner
                            && differs(owner, before)
                            && !isOfUnsureFragments(at)
                            && !isOfUnsureFragments(before)
                            && held.get(at).intersects(held.get(before))) {
                        BitSet more = of(owner, held);
                        more.andNot(of(entry(before).owner(), sure));
                        BitSet less = of(entry(before).owner(), held);
                        less.andNot(of(owner, sure));
                        if (!more.isEmpty() && !less.isEmpty()) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }
    }
}
