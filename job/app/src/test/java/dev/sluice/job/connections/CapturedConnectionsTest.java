package dev.sluice.job.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.Sluice;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.classify.VerdictRun;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of the connections of captures, and notes, are those of two maps. */
class CapturedConnectionsTest {
    private static final int SYN = 2;
    private static final int ACK = 16;

    @TempDir Path folder;

    @Test
    void ofGeneratedFlows() throws IOException, InterruptedException {
        List<SentPacket> sent = StatefulKernelTest.history(new Random(5), 400);
        assertTrue(compare(capture(sent)) > sent.size() / 2);
    }

    @Test
    void ofOrdinaryProgramsWithFragmentsAndErrors() throws IOException, InterruptedException {
        // all but 16 that are not IP, and an ICMP error
        assertEquals(1057 - 17, compare(TestData.office("office.pcapng.gz")));
    }

    private Path capture(List<SentPacket> sent) throws IOException {
        byte[] bytes = RandomFlow.pcap(sent.stream().map(SentPacket::frame).toList());
        return Files.write(folder.resolve("sent.pcap"), bytes);
    }

    private Path rules() throws IOException {
        return Files.writeString(folder.resolve("rules.save"), StatefulJudgeTest.SAVE);
    }

    private long compare(Path capture) throws IOException, InterruptedException {
        PolicyFile policy =
                PolicyFile.read(
                        rules(),
                        new PolicyOptions("FORWARD", Assumptions.NONE, false).tracked("linux"));
        List<Connection> told = new ArrayList<>();
        try (CaptureHits hits =
                new CaptureHits(
                        policy.flat().rules(),
                        ParserOptions.DEFAULTS,
                        null,
                        null,
                        TrackerOptions.LINUX)) {
            hits.keepRows(List.of("c"), told::add);
            ConnectionMap expected = new ConnectionMap(hits);
            VerdictRun.count(
                    List.of(capture),
                    hits,
                    (batch, found) -> {
                        for (int i = 0; i < batch.headers().size(); i++) {
                            long refused = expected.packet(batch, found, i);
                            assertEquals(
                                    refused,
                                    batch.rowFacts().refusedPacket(i),
                                    "packet " + batch.rowFacts().number(i));
                        }
                    });
            hits.handRest();
            List<String> rows = told.stream().map(ConnectionMap::text).sorted().toList();
            assertEquals(lacking(expected.rows(), rows), lacking(rows, expected.rows()));
            assertEquals(expected.rows().size(), rows.size());
            long sum =
                    told.stream()
                            .mapToLong(row -> row.sent().packets() + row.answered().packets())
                            .sum();
            assertEquals(expected.packets, sum);
            ConnectionSum counts = hits.connections();
            long refused = told.stream().filter(row -> row.refusedPacket() != null).count();
            assertEquals(counts.refusedConnections(), refused);
            assertEquals(counts.counts().created(), told.size() - refused);
            assertEquals(
                    counts.live(),
                    told.stream()
                            .filter(row -> row.refusedPacket() == null && row.end().equals("live"))
                            .count());
            return sum;
        }
    }

    /** Rows that others lack, a line each. */
    private static String lacking(List<String> rows, List<String> others) {
        Set<String> known = new HashSet<>(others);
        return rows.stream().filter(row -> !known.contains(row)).collect(Collectors.joining("\n"));
    }

    private static SentPacket tcp(int from, int to, int port, int flags) {
        boolean answers = from == 2;
        return new SentPacket(
                4, from, to, 6, answers ? 80 : port, answers ? port : 80, flags, 0, 0, null, true);
    }

    @Test
    void aConnectionThatIsPickedUpDependsWhereThatIsSaid() throws IOException {
        Path capture =
                capture(
                        List.of(
                                tcp(1, 2, 1000, ACK),
                                tcp(2, 1, 1000, ACK),
                                tcp(1, 2, 1000, ACK),
                                tcp(1, 2, 1001, SYN),
                                tcp(2, 1, 1001, SYN | ACK)));
        assertEquals(
                List.of("new permit", "established permit", "established permit"),
                states(capture, "new").subList(0, 3));
        List<String> doubted = states(capture, "depends");
        assertEquals(
                List.of("unknown depends", "unknown depends", "unknown depends"),
                doubted.subList(0, 3));
        assertEquals(states(capture, "new").subList(3, 5), doubted.subList(3, 5));
    }

    private List<String> states(Path capture, String how) throws IOException {
        Sluice run =
                Sluice.ok(
                        "classify",
                        capture,
                        "--rules",
                        rules() + "#FORWARD",
                        "--conntrack",
                        "linux",
                        "--conntrack-picked-up",
                        how);
        assertTrue(run.err().contains("2 opened, 1 of them picked up"), run.err());
        return run.out()
                .lines()
                .skip(1)
                .map(line -> line.split("\t", -1))
                .map(cells -> cells[10] + " " + cells[8])
                .toList();
    }
}
