package dev.sluice.job.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.UsageException;
import dev.sluice.operators.classify.ConnectionOutput;
import dev.sluice.schemas.codec.Connection;
import dev.sluice.schemas.codec.VerdictOutcome;
import java.util.Objects;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Options of the topic of rows of connections. */
class ConnectionTopicOptionsTest {
    private static final Connection ROW =
            new Connection(
                    new Connection.Opening(
                            "c", "", VerdictOutcome.DENY, 7L, 3, "drop", "-j DROP", 1, "h"),
                    new Connection.Ends(new byte[4], new byte[4], 17, 1, 2, null),
                    5,
                    6,
                    new Connection.Traffic(1, 60),
                    new Connection.Traffic(0, 0),
                    "refused",
                    "live",
                    9L);

    private static ConnectionTopicOptions parse(String... words) {
        ConnectionTopicOptions options = new ConnectionTopicOptions();
        CommandLine line = new CommandLine(CommandSpec.forAnnotatedObject(options));
        line.setCaseInsensitiveEnumValuesAllowed(true).parseArgs(words);
        return options;
    }

    /** A message of a form that has travelled to a task. */
    private static byte[] message(String format) throws Exception {
        ConnectionTopicOptions options =
                parse("--connections-topic", "t", "--connections-format", format);
        byte[] bytes = InstantiationUtil.serializeObject(options.toOptions(true));
        ConnectionOutput there =
                InstantiationUtil.deserializeObject(
                        bytes, ConnectionTopicOptionsTest.class.getClassLoader());
        return there.form().message(ROW);
    }

    @Test
    void formsAreThoseOfFiles() throws Exception {
        String line = new String(message("tsv"), UTF_8);
        assertTrue(line.startsWith("c\t\t0.0.0.0\t1\t0.0.0.0\t2\t17\t\t5\t6\t"), line);
        assertTrue(new String(message("json"), UTF_8).contains("\"text\":\"-j DROP\""));
        assertEquals(ROW.opening(), Connection.decode(message("avro")).opening());
    }

    @Test
    void rowsComeEachMinuteByDefault() {
        assertNull(parse().toOptions(false));
        ConnectionOutput minute = parse("--connections-topic", "t").toOptions(true);
        assertEquals(60_000_000_000L, Objects.requireNonNull(minute).intervalNanos());
        ConnectionOutput ten =
                parse("--connections-topic", "t", "--connections-interval", "10s").toOptions(true);
        assertEquals(10_000_000_000L, Objects.requireNonNull(ten).intervalNanos());
    }

    private static String refusal(boolean tracks, String... words) {
        return assertThrows(UsageException.class, () -> parse(words).toOptions(tracks))
                .getMessage();
    }

    @Test
    void optionsThatDoNotGoTogetherAreRefused() {
        assertEquals(
                "--connections-topic: tells of tracked connections; add --conntrack linux",
                refusal(false, "--connections-topic", "t"));
        assertEquals(
                "--connections-format, --connections-interval, --interfaces: add --connections-topic TOPIC",
                refusal(true, "--connections-interval", "1s"));
        TopicOptions topics = new TopicOptions(TopicOptions.Topic.VERDICTS);
        CommandLine line = new CommandLine(CommandSpec.forAnnotatedObject(topics));
        line.parseArgs("--bootstrap", "localhost:1");
        ConnectionTopicOptions same = parse("--connections-topic", "sluice-verdicts");
        assertEquals(
                "--connections-topic names sluice-verdicts, which is another topic of the job; name one of its own",
                assertThrows(UsageException.class, () -> same.requireApart(topics)).getMessage());
    }
}
