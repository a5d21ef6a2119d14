package dev.sluice.lab.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Place;
import dev.sluice.engine.rules.Rule;
import dev.sluice.job.EscapedText;
import dev.sluice.job.TestBroker;
import dev.sluice.job.Topics;
import dev.sluice.job.cli.Console;
import dev.sluice.job.cli.Main;
import dev.sluice.job.cli.StandardOutput;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.MessageProducer;
import dev.sluice.job.kafka.PacketExporter;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.operators.rules.topic.RuleSetMessages;
import dev.sluice.schemas.codec.Column;
import dev.sluice.schemas.codec.DeadLetter;
import dev.sluice.schemas.codec.RuleChange;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.VerdictBlocks;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Text of strangers reaches neither the terminal's controls nor another line, whoever prints it.
 */
@Timeout(180)
class HostileTextITCase {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Sets the title and rings, clears the screen, hides, begins a line and a cell, turns the
     * direction of text, and has C1's own CSI, a blank line, DEL, a tag and a soft hyphen.
     */
    private static final String EVIL =
            "=x\u001b]0;t\u0007\u001b[2J\r\nFORGED\t-\u202eevil\u2066\u009b8m\u2028\u007f"
                    + "\udb40\udc41\u00ad\\n\u001b[1A";

    /** The same in a line of a file. */
    private static final String LINE = EVIL.replace("\r\n", "");

    private static final String NUL = "\u0000" + EVIL;

    @TempDir static Path folder;

    @RegisterExtension static final TestBroker broker = new TestBroker();

    private static Path capture = Path.of("");
    private static Path copy = Path.of("");
    private static Path rules = Path.of("");
    private static Topics topics = new Topics("", TopicNames.defaults());

    /** What a command printed, by {@link Console}'s writers as in a process. */
    private record Printed(int status, String out, String err) {}

    @BeforeAll
    static void make() throws Exception {
        capture = folder.resolve(EVIL + ".pcapng.gz");
        Files.copy(TestData.office("office.pcapng.gz"), capture);
        copy = folder.resolve(EVIL + "2.pcapng.gz");
        Files.copy(capture, copy);
        rules = folder.resolve(EVIL + ".ovs");
        Files.writeString(
                rules,
                "priority=2,tcp,tp_dst=443 actions=note:"
                        + LINE.replaceAll("[\\[\\]\t]", "")
                        + "\n"
                        + "priority=1,udp actions=drop # "
                        + LINE
                        + "\n");
        topics = Topics.of(broker.bootstrap(), "evil").create();
        fill();
    }

    /** Messages as somebody else could write them. */
    private static void fill() throws Exception {
        RuleChange begin =
                RuleChange.begin(NUL, NUL, 1, null, null, RuleChange.Kind.SNAPSHOT, NUL, NUL);
        Rule rule =
                new Rule(7, 1, new Match.Builder().build(), NUL, 1, Place.of(new byte[] {1}), NUL);
        try (MessageProducer producer = new MessageProducer(new KafkaClients(broker.bootstrap()))) {
            for (byte[] message : RuleSetMessages.snapshot(begin, List.of(rule))) {
                producer.send(topics.names().rules(), null, message);
            }
            VerdictBlock block =
                    VerdictBlocks.of(
                            NUL,
                            0,
                            5,
                            1,
                            NUL,
                            1,
                            new long[] {7},
                            List.of(NUL, NUL),
                            new Column(Column.PACKET, 1, 0, new byte[0]),
                            null,
                            new Column(Column.RULE, 1, 0, new byte[0]),
                            null,
                            null,
                            List.of());
            producer.send(topics.names().verdicts(), PacketExporter.key(5), block.encode());
            producer.send(topics.names().verdicts(), PacketExporter.key(5), bytes(NUL));
            DeadLetter letter =
                    new DeadLetter(
                            "rules: " + NUL,
                            NUL,
                            new DeadLetter.Packet(NUL, 0, 1, 1),
                            new DeadLetter.Message(topics.names().rules(), 0, 0, bytes(NUL)));
            producer.send(topics.names().deadLetters(), null, letter.encode());
            producer.flush();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Printed run(Object... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status =
                Main.run(
                        Arrays.stream(words).map(Object::toString).toArray(String[]::new),
                        new StandardOutput(out),
                        Console.writer(err));
        Printed printed =
                new Printed(
                        status,
                        out.toString(StandardCharsets.UTF_8),
                        err.toString(StandardCharsets.UTF_8));
        requireHarmless(printed.out, words);
        requireHarmless(printed.err, words);
        return printed;
    }

    /** Every character is one to be seen, a tab or a line end, and no line is a stranger's. */
    private static void requireHarmless(String text, Object... words) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean seen = c == '\n' || c == '\t' || c >= 0x20 && c < 0x7f || c >= 0xa0;
            boolean turns =
                    c == 0xad
                            || c >= 0x200b && c <= 0x200f
                            || c >= 0x2028 && c <= 0x202e
                            || c >= 0x2066 && c <= 0x2069
                            || Character.isSurrogate(c);
            assertTrue(
                    seen && !turns,
                    () ->
                            "U+%04x in the output of %s: %s"
                                    .formatted(
                                            (int) c,
                                            Arrays.toString(words),
                                            EscapedText.lines(text)));
        }
        assertFalse(
                text.lines().anyMatch(line -> line.startsWith("FORGED")),
                () -> Arrays.toString(words) + " printed a line that a name made: " + text);
    }

    @Test
    void whatIsSaidOfCapturesAndRulesShowsEscapes() throws Exception {
        Path verdicts = folder.resolve("v.tsv");
        Printed lines = run("classify", capture, copy, "--rules", rules);
        assertEquals(0, lines.status, lines.err);
        List<String> cells =
                Arrays.asList(lines.out.lines().skip(1).findFirst().orElseThrow().split("\t"));
        assertEquals(EscapedText.cell(capture.toString()), cells.get(0));
        assertTrue(cells.get(0).contains("\\u001b]0;t\\u0007"), cells.get(0));
        assertTrue(cells.get(0).contains("\\r\\nFORGED\\t-\\u202eevil"), cells.get(0));
        assertEquals("1", cells.get(1));
        assertEquals(0, run("classify", capture, "--rules", rules, "--verdicts", verdicts).status);
        List<String> file = Files.readAllLines(verdicts);
        assertEquals(1058, file.size());
        file.forEach(line -> assertEquals(8, line.split("\t", -1).length, line));
        Printed json = run("classify", capture, "--rules", rules, "--json");
        JsonNode summary = JSON.readTree(json.out);
        assertEquals(capture.toString(), summary.get("captures").get(0).get("capture").asText());
        for (String command :
                List.of("classify", "filter", "rules hits", "headers", "filter-json")) {
            List<Object> words = new ArrayList<>(List.of(command.split("[ -]")));
            words.remove("json");
            words.addAll(List.of(capture, copy));
            if (!command.equals("headers")) {
                words.addAll(List.of("--rules", rules));
            }
            if (command.startsWith("filter")) {
                words.addAll(List.of("--action", "drop", "-w", folder.resolve(EVIL + ".out")));
            }
            if (command.endsWith("json")) {
                words.add("--json");
            }
            if (command.equals("classify")) {
                words.addAll(List.of("--summary", "--all-rules"));
            }
            assertEquals(0, run(words.toArray()).status, words.toString());
        }
        assertEquals(0, run("headers", capture, "--count").status);
        assertEquals(0, run("rules", "hits", capture, "--rules", rules, "--json").status);
    }

    @Test
    void errorsShowEscapesOnOneLine() throws Exception {
        Path none = folder.resolve(EVIL + ".none");
        Path text = folder.resolve(EVIL + ".txt");
        Files.writeString(text, "priority=1,foo=" + LINE + " actions=drop\n@" + LINE + "\n");
        for (Object[] words :
                new Object[][] {
                    {EVIL},
                    {"classify", "--" + EVIL},
                    {"classify", none, "--rules", rules},
                    {"classify", capture, "--rules", none},
                    {"classify", capture, "--rules", text},
                    {"classify", text, "--rules", rules},
                    {"classify", capture, "--rules", rules, "--rules-format", EVIL},
                    {"classify", capture, "--rules", rules, "--ports", text},
                    {"classify", capture, "--rules", rules, "--verdicts", none.resolve("x")},
                    {"classify", capture, "--rules", rules, "--in-port", EVIL},
                    {"headers", text},
                    {"headers", none},
                    {"replay", none, "--rules", rules},
                    {"replay", capture, "--rules-history", text},
                    {"export", capture, none, "--bootstrap", broker.bootstrap()},
                    {"rules", "show", "--bootstrap", broker.bootstrap(), "--rules-topic", EVIL},
                    {"rules", "show", "--bootstrap", EVIL},
                    {"rules", "add", "priority=1,foo=" + EVIL, "--bootstrap", broker.bootstrap()},
                    {"verdicts", "--bootstrap", broker.bootstrap(), "--address", EVIL},
                    {"cat", EVIL, "--bootstrap", broker.bootstrap()},
                    {"run", "--bootstrap", broker.bootstrap(), "--checkpoint-interval", EVIL},
                    {"archive", none, "--rules", rules, "--verdicts", folder},
                    {"schemas", "--out", text},
                    {"bench", "engine", "--rules", none},
                    {"help", EVIL}
                }) {
            Printed printed = run(words);
            assertTrue(printed.status != 0, Arrays.toString(words));
        }
    }

    @Test
    void whatTopicsHoldShowsEscapes() throws Exception {
        Printed added = run(topics.line("rules", "add", "priority=1,udp actions=drop # " + LINE));
        assertEquals(0, added.status, added.err);
        for (String line :
                List.of(
                        "verdicts --format table",
                        "rules show --format table",
                        "rules log --format table",
                        "rules diff 1 2 --format table",
                        "rules show --format json",
                        "rules log --format tsv",
                        "rules diff 1 2 --format json")) {
            Printed printed = run(topics.line((Object[]) line.split(" ")));
            if (!line.startsWith("verdicts")) { // which says that a message cannot be read
                assertEquals(0, printed.status, printed.err);
            }
            assertTrue(printed.out.contains("\\u202e"), line + printed.out);
            if (line.endsWith("json")) {
                for (String object : printed.out.lines().toList()) {
                    JSON.readTree(object);
                }
            }
        }
        Printed verdict = run(topics.line("verdicts", "--format", "json"));
        assertEquals(
                NUL,
                JSON.readTree(verdict.out.lines().findFirst().orElseThrow())
                        .get("capture")
                        .asText());
        TopicNames names = topics.names();
        for (String topic : List.of(names.rules(), names.verdicts(), names.deadLetters())) {
            run("cat", topic, "--bootstrap", broker.bootstrap());
        }
        Printed exported = run(topics.line("export", capture));
        assertEquals(0, exported.status, exported.err);
        run("cat", names.packets(), "--bootstrap", broker.bootstrap(), "--limit", "3");
        run(topics.line("rules", "publish", "--rules", rules));
    }
}
