package dev.sluice.job.endtoend;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.job.Sluice;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.capture.InterfaceCapture;
import dev.sluice.job.kafka.TopicNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Interfaces that captures tell decide alike in all commands, and behind a packets topic. */
class CapturedInterfacesITCase {
    private static final String FRAME = "0200000000020200000000010800";
    private static final String UDP = "4500001c0000000040110000c0a80107c0a80101%04x003500080000";
    private static final int OUTGOING = 2;
    private static final List<String> NAMES =
            List.of("eth0", "wg7", "lan0", "eth01", "dmz1", "any");

    private static final String POLICY =
            """
            *filter
            :INPUT DROP [0:0]
            :FORWARD DROP [0:0]
            -A FORWARD -i eth0 -o lan0 -j ACCEPT
            -A INPUT -i eth0 -j ACCEPT
            -A INPUT -i wg+ -j ACCEPT
            -A INPUT ! -i lan0 -m time --timestart 00:00:04 --timestop 00:00:05 -j REJECT
            COMMIT
            """;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    @TempDir Path folder;

    private Path capture = Path.of("");
    private Path before = Path.of("");
    private Path after = Path.of("");

    @BeforeEach
    void write() throws IOException {
        InterfaceCapture made = new InterfaceCapture();
        made.section();
        NAMES.forEach(name -> made.describe(1, name));
        for (int packet = 0; packet < 240; packet++) {
            String bytes = FRAME + UDP.formatted(packet);
            made.packet(packet % NAMES.size(), packet / NAMES.size() % 3, packet / 24, bytes);
        }
        capture = Files.write(folder.resolve("c.pcapng"), made.bytes());
        before = Files.writeString(folder.resolve("before.save"), POLICY);
        String more = "-A INPUT -i eth01 -j ACCEPT\n-A INPUT ! -i dmz+ -j REJECT\nCOMMIT";
        after = Files.writeString(folder.resolve("after.save"), POLICY.replace("COMMIT", more));
    }

    /** Lines of a file of verdicts. */
    private List<String> verdicts(String command, Object... options) throws IOException {
        Path out = Files.createTempDirectory(folder, command).resolve("v");
        List<Object> words = new ArrayList<>(List.of(command, capture, "--verdicts", out));
        words.addAll(List.of(options));
        Sluice.ok(Sluice.run(words.toArray()));
        if (!Files.isDirectory(out)) {
            return Files.readAllLines(out);
        }
        try (Stream<Path> files = Files.list(out)) {
            return Files.readAllLines(files.filter(Files::isRegularFile).findFirst().orElseThrow());
        }
    }

    @Test
    void replayAndArchiveGiveTheVerdictsOfClassify() throws IOException {
        Path names = Files.writeString(folder.resolve("names"), "eth01 wg1\n4 eth0\n");
        for (Object[] options :
                new Object[][] {
                    {"--rules", before + "#INPUT"},
                    {"--rules", before + "#INPUT", "--policy-time", "packet"},
                    {"--rules", before + "#FORWARD", "--interfaces", names},
                    {"--rules", before, "--interfaces", names, "--in-port", 0}
                }) {
            List<String> expected = verdicts("classify", options);
            assertEquals(expected, verdicts("replay", options), List.of(options).toString());
            assertEquals(expected, verdicts("archive", options), List.of(options).toString());
        }
        Set<String> lines = new TreeSet<>();
        verdicts("replay", "--rules", before + "#INPUT", "--policy-time", "packet")
                .forEach(row -> lines.add(row.split("\t", -1)[3] + row.split("\t", -1)[5]));
        assertEquals(
                Set.of(
                        "ruleaction",
                        "2DROP",
                        "5ACCEPT",
                        "5depends",
                        "6ACCEPT",
                        "7REJECT",
                        "7depends"),
                lines);
    }

    /** A pipe that can be read once. */
    private Path pipe(String name, String text) throws Exception {
        Path pipe = folder.resolve(name);
        assertEquals(0, new ProcessBuilder("mkfifo", "" + pipe).start().waitFor());
        Thread writer = new Thread(() -> assertDoesNotThrow(() -> Files.writeString(pipe, text)));
        writer.setDaemon(true);
        writer.start();
        return pipe;
    }

    @Test
    @Timeout(120)
    void versionsThatAskForOtherNamesShareTheirNumbersAndAreReadOnce() throws Exception {
        pipe("later", Files.readString(after));
        Path history = pipe("history", "0 before.save#INPUT\n5000000000 later#INPUT\n");
        List<String> first = verdicts("classify", "--rules", before + "#INPUT");
        List<String> then = verdicts("classify", "--rules", after + "#INPUT");
        List<String> replayed =
                verdicts("replay", "--rules-history", history, "--allowed-lateness", "1d");
        for (int i = 1; i < replayed.size(); i++) {
            String[] row = replayed.get(i).split("\t", -1);
            boolean old = Long.parseLong(row[2]) < 5_000_000_000L;
            String[] wanted = (old ? first : then).get(i).split("\t", -1);
            assertEquals(wanted[3] + " " + wanted[5], row[3] + " " + row[5], replayed.get(i));
        }
    }

    @Test
    void aTopicsNumbersStayWhileThePolicyAsksForOtherNames() throws Exception {
        Path names = folder.resolve("names");
        Files.writeString(names, "eth0 eth0\nwg7 wg7\nlan0 lan0\neth01 eth01\ndmz1 dmz1\n");
        Topics topics = Topics.of(broker.bootstrap(), "interfaces").create();
        Sluice.ok(Sluice.run(topics.line("export", capture, "--interfaces", names)));
        int run = 0;
        for (Path policy : List.of(before, after)) {
            String rules = policy + "#INPUT";
            Sluice.ok(topics.run("rules", "publish", "--rules", rules, "--interfaces", names));
            List<String> told = judged(topics, "told" + run++);
            List<String> expected = new ArrayList<>();
            for (String line : verdicts("classify", "--rules", rules, "--interfaces", names)) {
                String[] row = line.split("\t", -1);
                expected.add(row[1] + " " + row[3] + " " + row[5]);
            }
            assertEquals(expected.stream().skip(1).sorted().toList(), told, "version " + run);
        }
        Path fewer = Files.writeString(folder.resolve("fewer"), "eth0 eth0\nwg7 wg7\nlan0 lan0\n");
        String rules = after + "#INPUT";
        Sluice.ok(topics.run("rules", "publish", "--rules", rules, "--interfaces", fewer));
        for (String verdict : judged(topics, "fewer")) {
            int packet = Integer.parseInt(verdict.split(" ")[0]) - 1;
            boolean known = packet % NAMES.size() < 3 && packet / NAMES.size() % 3 != OUTGOING;
            assertEquals(known, !verdict.endsWith("depends"), verdict);
        }
    }

    /** Packet, line and action of each verdict of a job on all packets. */
    private static List<String> judged(Topics all, String name) throws Exception {
        Topics topics =
                new Topics(
                        all.bootstrap(),
                        new TopicNames(
                                all.names().packets(),
                                all.names().rules(),
                                name,
                                all.names().deadLetters(),
                                all.names().statistics(),
                                all.names().statisticsWindows()));
        Sluice.ok(Sluice.run(topics.job("--bounded", "--create-topics", "--group", name)));
        List<String> rows =
                Sluice.ok(topics.run("verdicts", "--format", "tsv")).out().lines().toList();
        List<String> columns = List.of(rows.get(0).split("\t"));
        int[] at = Stream.of("packet", "rule", "action").mapToInt(columns::indexOf).toArray();
        return rows.stream()
                .skip(1)
                .map(row -> row.split("\t", -1))
                .map(row -> row[at[0]] + " " + row[at[1]] + " " + row[at[2]])
                .sorted()
                .toList();
    }
}
