package dev.sluice.lab.corridor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private static final long START = 1_700_000_000_000L;

    private static CountedVerdicts.Read read(long millis, int headers) {
        return read(millis, headers, 1);
    }

    private static CountedVerdicts.Read read(long millis, int headers, long version) {
        long left = START + millis;
        return new CountedVerdicts.Read(left, headers, 100, left - 20, version);
    }

    private static void take(CountedVerdicts run, CountedVerdicts.Read... messages) {
        for (CountedVerdicts.Read message : messages) {
            run.take(message);
        }
    }

    @Test
    void whatLeavesInTheTimeCountsWheneverItIsRead() {
        CountedVerdicts run = CountedVerdicts.behindTheFirst(2, 3);
        take(run, read(0, 1_000), read(1_999, 1_000));
        assertEquals(0, run.total(), "while it is warmed");
        take(run, read(4_999, 7), read(5_000, 1_000));
        take(run, read(2_000, 5));
        assertEquals(12, run.total());
        assertEquals(List.of(5L, 0L, 7L), run.windows().seconds());
        assertEquals(0, run.windows().rates().min());
        assertEquals(2, run.delays().count());
        assertEquals(20, run.delays().max());
    }

    @Test
    void verdictsThatDoNotSayWhenTheirPacketsWereSentCountWithoutADelay() {
        CountedVerdicts run = CountedVerdicts.behindTheFirst(0, 1);
        take(run, new CountedVerdicts.Read(START, 4, 100, 0, 1));
        assertEquals(4, run.total());
        assertEquals(0, run.delays().count(), "a delay since 1970");
    }

    @Test
    void nothingHasBegunBeforeTheFirstVerdict() {
        CountedVerdicts run = CountedVerdicts.behindTheFirst(0, 1);
        assertFalse(run.begun());
        take(run, read(0, 1));
        assertTrue(run.begun());
        assertTrue(run.over(), "its time is long past");
    }

    @Test
    void aVersionIsVisibleFromTheFirstVerdictUnderItOrALaterOne() {
        CountedVerdicts run = CountedVerdicts.behindTheFirst(0, 1);
        take(run, read(0, 1, 1), read(30, 1, 4), read(45, 1, 1), read(50, 1, 4));
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        run.describe(new TreeMap<>(Map.of(2L, START + 10, 3L, START + 20, 5L, START + 40)), node);
        assertEquals(10, node.at("/visibleMillis/p50").asDouble());
        assertEquals(20, node.at("/visibleMillis/max").asDouble());
        assertEquals(35, node.at("/everywhereMillis/max").asDouble());
        assertEquals(20, node.at("/heldMillis/p99").asDouble());
    }
}
