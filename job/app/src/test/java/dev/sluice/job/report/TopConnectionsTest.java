package dev.sluice.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.job.connections.ConnectionSum;
import dev.sluice.job.page.Page;
import dev.sluice.job.page.PageData;
import dev.sluice.job.page.PageFile;
import dev.sluice.operators.connections.Connections;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page has the longest, the largest and the refused connections of many. */
class TopConnectionsTest {
    private static final int ROWS = 5 * TopConnections.MOST;

    @TempDir Path folder;

    @Test
    void theLargestOfEachKindStay() throws IOException {
        TopConnections top = new TopConnections(false);
        Random random = new Random(3);
        List<Integer> bytes = shuffled(random);
        List<Integer> lengths = shuffled(random);
        List<Integer> packets = shuffled(random);
        Set<String> expected = new TreeSet<>();
        for (int i = 0; i < ROWS; i++) {
            boolean refused = i % 2 == 0;
            top.accept(row(i, bytes.get(i), lengths.get(i), packets.get(i), refused));
        }
        long least =
                IntStream.range(0, ROWS)
                        .filter(i -> i % 2 == 0)
                        .map(i -> -packets.get(i))
                        .sorted()
                        .skip(TopConnections.MOST - 1L)
                        .findFirst()
                        .orElseThrow();
        for (int i = 0; i < ROWS; i++) {
            if (bytes.get(i) >= ROWS - TopConnections.MOST
                    || lengths.get(i) >= ROWS - TopConnections.MOST
                    || i % 2 == 0 && packets.get(i) >= -least) {
                expected.add(String.valueOf(i));
            }
        }
        Path file = folder.resolve("page.html");
        ConnectionSum sum = ConnectionSum.of(new Connections(TrackerOptions.LINUX), false);
        try (PageFile to = new PageFile(file)) {
            to.write(new Page("top", Map.of(), List.of(top.section(sum.describe()))));
        }
        JsonNode section = PageData.read(file).get("sections").get(0);
        Set<String> found = new HashSet<>();
        section.get("data").get(1).forEach(port -> found.add(port.asText()));
        assertEquals(expected, new TreeSet<>(found));
        assertEquals(ROWS - 1L, section.get("data").get(8).get(0).asLong(), "the largest is first");
    }

    /** A job sends a row of a connection again and again while it lives. */
    @Test
    void theNewestRowOfAConnectionReplacesTheOneBefore() throws IOException {
        TopConnections top = new TopConnections(true);
        List<Integer> order = shuffled(new Random(5));
        for (int round = 1; round <= 3; round++) {
            for (int i : order) {
                top.accept(row(i, round * (i + 1), i, 1, false));
            }
        }
        assertEquals(3L * ROWS, top.ended());
        Path file = folder.resolve("newest.html");
        try (PageFile to = new PageFile(file)) {
            to.write(new Page("top", Map.of(), List.of(top.section(""))));
        }
        JsonNode data = PageData.read(file).get("sections").get(0).get("data");
        assertEquals(TopConnections.MOST, data.get(1).size());
        for (int i = 0; i < TopConnections.MOST; i++) {
            assertEquals(ROWS - 1 - i, data.get(1).get(i).asInt());
            assertEquals(3L * (ROWS - i), data.get(8).get(i).asLong());
        }
    }

    @Test
    void actionsBeyondTheFirstAreOneSeries() throws IOException {
        OutcomeSeries series = new OutcomeSeries();
        series.addDeadLetter(0);
        for (int action = 0; action < 20; action++) {
            for (int i = 0; i <= action; i++) {
                series.add(series.named("output:" + action), 1_000_000L * i);
            }
        }
        Path file = folder.resolve("series.html");
        try (PageFile to = new PageFile(file)) {
            to.write(new Page("series", Map.of(), List.of(series.section())));
        }
        JsonNode section = PageData.read(file).get("sections").get(0);
        List<String> names = new ArrayList<>();
        section.get("columns").forEach(column -> names.add(column.get("name").asText()));
        assertEquals("other actions", names.get(names.size() - 2));
        assertEquals("dead letter", names.get(names.size() - 1));
        long sum = 0;
        for (int column = 1; column < names.size() - 1; column++) {
            for (JsonNode cell : section.get("data").get(column)) {
                sum += cell.asLong();
            }
        }
        assertEquals(210, sum);
        assertEquals(15, section.get("data").get(names.size() - 2).get(0).asLong());
    }

    private static List<Integer> shuffled(Random random) {
        List<Integer> all = new ArrayList<>(IntStream.range(0, ROWS).boxed().toList());
        Collections.shuffle(all, random);
        return all;
    }

    private static Connection row(int port, int bytes, int millis, int packets, boolean refused) {
        return new Connection(
                new Connection.Opening("c", "", VerdictOutcome.DENY, 1L, 1, "DROP", "", 1, ""),
                new Connection.Ends(new byte[4], new byte[4], 6, port, 80, null),
                1_000_000,
                1_000_000 + millis * 1_000_000L,
                new Connection.Traffic(packets, bytes),
                new Connection.Traffic(0, 0),
                "",
                "timeout",
                refused ? 1L : null);
    }
}
