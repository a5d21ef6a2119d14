package dev.sluice.job.hits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.ShutTunnels;
import dev.sluice.job.graph.Outcomes;
import dev.sluice.schemas.codec.RuleStatistics;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.header.Field;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What commands that judge captures end with. */
class HitSummaryTest {
    private static final Pace PACE = Pace.of(20, 2);

    private static RuleSet rules(int count) {
        List<Rule> rules = new ArrayList<>();
        for (int line = 1; line <= count; line++) {
            Match match = new Match.Builder().field(Field.IN_PORT, line).build();
            rules.add(new Rule(line, 1, match, "drop", line, Place.NONE, "rule of line " + line));
        }
        return RuleSet.of("policy", 1, "NORMAL", rules);
    }

    private static RuleStatistics hit(long rule, long packets) {
        return new RuleStatistics("", rule, 0, 0, 0, packets, 64 * packets, 1, 2, 1, 1);
    }

    private static CaptureSum capture(String name, long packets, long dead) {
        return new CaptureSum(name, packets, packets - dead, 0, dead, "eof");
    }

    private static Outcomes outcomes(
            Map<VerdictStatus, Long> marked, Set<Long> refused, Map<String, Long> dead) {
        return new Outcomes(marked, refused, "drop", dead);
    }

    private static HitSummary summary(int rules, List<RuleStatistics> hits, Outcomes outcomes) {
        return new HitSummary(
                new KnownRules("", rules(rules), Map.of()),
                hits,
                List.of(capture("a.pcap", 20, 3)),
                outcomes,
                new ShutTunnels(),
                PACE,
                null);
    }

    private static List<String> printed(HitSummary summary, boolean whole) {
        StringWriter text = new StringWriter();
        summary.print(new PrintWriter(text), whole);
        return text.toString().lines().map(String::strip).toList();
    }

    @Test
    void rulesStandInTheirOwnWordsAndThoseNeverHitByTheirLines() {
        List<String> lines =
                printed(
                        summary(
                                9,
                                List.of(hit(3, 5), hit(7, 12)),
                                outcomes(Map.of(), Set.of(), Map.of())),
                        false);
        assertTrue(lines.get(1).startsWith("12 ") && lines.get(1).endsWith("7  rule of line 7"));
        assertTrue(lines.get(2).startsWith("5 ") && lines.get(2).endsWith("3  rule of line 3"));
        assertEquals(
                List.of(
                        "never hit: 7 of 9 rules, lines 1-2, 4-6, 8-9",
                        "20 packets; 3 dead letters",
                        "10 packets/s"),
                lines.subList(3, 6));
    }

    @Test
    void whatIsNotShownIsCountedAndShownOnDemand() {
        List<RuleStatistics> hits = new ArrayList<>();
        for (int line = 2; line <= 98; line += 2) {
            hits.add(hit(line, line));
        }
        HitSummary summary = summary(99, hits, outcomes(Map.of(), Set.of(), Map.of()));
        List<String> few = printed(summary, false);
        assertEquals(
                "not shown: 24 more lines with 600 packets; --all-rules shows every rule",
                few.get(26));
        assertTrue(
                few.get(27).startsWith("never hit: 50 of 99 rules, lines 1, 3, 5,")
                        && few.get(27).endsWith(", 39 and others; --all-rules names every line"),
                few.get(27));
        List<String> all = printed(summary, true);
        assertEquals(1 + 49 + 3, all.size());
        assertTrue(all.get(50).endsWith(", 97, 99"), all.get(50));
    }

    @Test
    void severalCapturesAreToldApartAndOneIsNot() {
        Outcomes outcomes = outcomes(Map.of(), Set.of(), Map.of("truncated", 3L));
        HitSummary one = summary(1, List.of(), outcomes);
        assertFalse(printed(one, false).stream().anyMatch(line -> line.contains("a.pcap")));
        HitSummary two =
                new HitSummary(
                        one.rules(),
                        List.of(),
                        List.of(capture("a.pcap", 1_000, 3), capture("b.pcap", 7, 0)),
                        outcomes,
                        new ShutTunnels(),
                        PACE,
                        null);
        List<String> lines =
                printed(two, false).stream().map(l -> l.replaceAll(" +", " ")).toList();
        assertTrue(lines.contains("1,000 997 0 3 a.pcap"), lines.toString());
        assertTrue(lines.contains("7 7 0 0 b.pcap"), lines.toString());
        assertTrue(lines.contains("1,007 packets; 3 dead letters"), lines.toString());
        assertTrue(lines.contains("3 truncated"), lines.toString());
    }

    @Test
    void packetsWithoutRulesLateOnesAndRefusedVersionsHaveLinesOfTheirOwn() {
        List<String> lines =
                printed(
                        summary(
                                1,
                                List.of(hit(1, 17)),
                                outcomes(
                                        Map.of(
                                                VerdictStatus.NO_RULES,
                                                5L,
                                                VerdictStatus.HISTORY_DELETED,
                                                6L,
                                                VerdictStatus.LATE,
                                                3L),
                                        new TreeSet<>(Set.of(7L, 2L)),
                                        Map.of())),
                        false);
        assertEquals(
                List.of(
                        "20 packets; 3 dead letters",
                        "5 no-rules: older than the first version that could be served: drop",
                        "6 history-deleted: older than what is kept: drop",
                        "3 late: judged by the rules of a later time; counted above, too",
                        "version 2 of the rules was refused",
                        "version 7 of the rules was refused",
                        "10 packets/s"),
                lines.subList(3, lines.size()));
    }

    @Test
    void thePaceLeavesOutTheStartAndSaysWhereThereIsNone() {
        assertEquals("1,000 packets/s", Pace.of(2_000, 2).describe());
        assertEquals("too few packets to tell a rate", Pace.of(0, 2).describe());
        assertNull(Pace.of(0, 2).packetsPerSecond());
        assertEquals(
                "the first verdicts came after 6.5 s, from then on 500 packets/s",
                new Pace(6.5, 1_000, 2).describe());
        assertEquals(
                "the first verdicts came after 6.5 s, the last with them: too few packets to tell a rate",
                new Pace(6.5, 1_000, 0).describe());
    }

    @Test
    void aProgramHasEveryRuleAndCapture() {
        JsonNode json =
                summary(
                                40,
                                List.of(hit(3, 5)),
                                outcomes(
                                        Map.of(VerdictStatus.OK, 17L),
                                        Set.of(),
                                        Map.of("truncated", 3L)))
                        .json();
        assertEquals(41, json.get("rules").size());
        assertEquals("rule of line 3", json.get("rules").get(0).get("rule").asText());
        assertEquals(320, json.get("rules").get(0).get("bytes").asLong());
        assertEquals(39, json.get("rules_never_hit").asInt());
        assertEquals("a.pcap", json.get("captures").get(0).get("capture").asText());
        assertEquals(3, json.get("dead_letters").get("truncated").asInt());
        assertEquals(10, json.get("packets_per_second").asInt());
        assertTrue(json.get("start_seconds").isNull());
    }
}
