package dev.sluice.job.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.job.graph.Outcomes;
import dev.sluice.schemas.codec.VerdictStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a replay says of packets that were not judged by the rules of their time. */
class SummaryTest {
    private static List<String> printed(Map<VerdictStatus, Long> marked, Set<Long> refused) {
        StringWriter text = new StringWriter();
        new Summary(20, Map.of(), 4, new Outcomes(marked, refused, "drop", Map.of()), 1)
                .print(new PrintWriter(text));
        return text.toString().lines().map(String::strip).toList();
    }

    @Test
    void whatIsNotThereHasNoLine() {
        assertEquals(
                List.of(
                        "20 packets",
                        "0 matched a rule:",
                        "4 missed every rule: drop",
                        "0 dead letters",
                        "20 packets/s"),
                printed(Map.of(), Set.of()));
    }

    @Test
    void packetsWithoutRulesLateOnesAndRefusedVersionsHaveLinesOfTheirOwn() {
        assertEquals(
                List.of(
                        "4 missed every rule: drop",
                        "5 no-rules: older than the first version that could be served: drop",
                        "6 history-deleted: older than what is kept: drop",
                        "3 late: judged by the rules of a later time; counted above, too",
                        "version 2 of the rules was refused",
                        "version 7 of the rules was refused"),
                printed(
                                Map.of(
                                        VerdictStatus.NO_RULES,
                                        5L,
                                        VerdictStatus.HISTORY_DELETED,
                                        6L,
                                        VerdictStatus.LATE,
                                        3L),
                                new TreeSet<>(Set.of(7L, 2L)))
                        .subList(2, 8));
    }
}
