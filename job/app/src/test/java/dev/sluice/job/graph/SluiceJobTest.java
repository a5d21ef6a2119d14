package dev.sluice.job.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.kafka.TopicNames;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.ConnectionOutput;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.connections.TrackerOptions;
import dev.sluice.operators.statistics.StatisticsOptions;
import dev.sluice.schemas.codec.Connection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.util.InstantiationUtil;
import org.apache.kafka.common.record.CompressionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which operators of the job share a task, and so a thread. */
class SluiceJobTest {
    static JobOptions options(boolean bounded) {
        return options(new KafkaClients("localhost:1"), bounded);
    }

    private static JobOptions options(KafkaClients kafka, boolean bounded) {
        return new JobOptions(
                kafka,
                TopicNames.defaults(),
                PacketFormat.AVRO,
                new ClassifyOptions(
                        EngineOptions.DEFAULTS,
                        8192,
                        2000,
                        4,
                        64,
                        VerdictFormat.BLOCKS,
                        VerdictFields.NONE),
                StatisticsOptions.OFF,
                "group",
                JobOptions.StartFrom.EARLIEST,
                bounded,
                "prefix",
                Duration.ofMinutes(1),
                Duration.ofSeconds(5),
                Framing.SINGLE_OBJECT,
                CompressionType.NONE,
                0L,
                null,
                null,
                null);
    }

    /** A job that writes rows of connections. */
    private static JobOptions withConnections() {
        JobOptions plain = options(false);
        ClassifyOptions classify =
                plain.classify()
                        .tracking(TrackerOptions.LINUX)
                        .telling(new ConnectionOutput(1, Connection::encode, List.of()));
        return new JobOptions(
                plain.kafka(),
                plain.topics(),
                plain.packetFormat(),
                classify,
                plain.statistics(),
                plain.group(),
                plain.from(),
                false,
                plain.transactionPrefix(),
                plain.transactionTimeout(),
                plain.checkpointInterval(),
                plain.verdictFraming(),
                plain.verdictCompression(),
                0L,
                null,
                "rows",
                null);
    }

    /** The job as it is handed over. */
    static JobGraph graph() {
        return graph(options(false));
    }

    /** A job with rows of connections as it is handed over. */
    static JobGraph graphWithConnections() {
        return graph(withConnections());
    }

    private static JobGraph graph(JobOptions options) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SluiceJob.build(env, options);
        return env.getStreamGraph().getJobGraph();
    }

    private static List<String> tasks(JobGraph graph) {
        return StreamSupport.stream(graph.getVertices().spliterator(), false)
                .map(JobVertex::getName)
                .toList();
    }

    private static String taskOf(String operator, List<String> tasks) {
        List<String> with = tasks.stream().filter(task -> task.contains(operator)).toList();
        assertEquals(1, with.size(), operator + " in " + tasks);
        return with.get(0);
    }

    /** How long packets wait for a network buffer to fill, in ms. */
    private static long bufferMillis(Configuration config) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        SluiceJob.build(env, options(false));
        return env.getStreamGraph().getStreamNodes().stream()
                .filter(node -> node.getOperatorName().equals("packets-check"))
                .mapToLong(StreamNode::getBufferTimeout)
                .sum();
    }

    @Test
    void packetsWaitForTheirWayAsLongAsABatchForThem() {
        assertEquals(2, bufferMillis(new Configuration()));
        assertEquals(1, SluiceJob.bufferMillis(100));
        assertEquals(3, SluiceJob.bufferMillis(2_001));
        assertEquals(100, SluiceJob.bufferMillis(Duration.ofSeconds(1).toNanos() / 1_000));
    }

    @Test
    void whatAClusterSaysOfBuffersCounts() {
        Configuration thirty = new Configuration();
        thirty.set(ExecutionOptions.BUFFER_TIMEOUT, Duration.ofMillis(30));
        assertEquals(30, bufferMillis(thirty));
        Configuration never = new Configuration();
        never.set(ExecutionOptions.BUFFER_TIMEOUT_ENABLED, false);
        assertEquals(-1, bufferMillis(never));
    }

    /** A commit waits for the broker; blocks in the classify operator must not wait with it. */
    @Test
    void verdictsAreCommittedInAnotherTaskThanTheyAreMade() {
        List<String> tasks = tasks(graphWithConnections());
        for (String sink : List.of("verdicts", "connections")) {
            String classify = taskOf(sink + ": Writer", tasks);
            assertTrue(classify.startsWith("classify"), classify);
            assertFalse(classify.contains("Committer"), classify);
            String committer = taskOf(sink + ": Committer", tasks);
            assertTrue(committer.startsWith(sink + ": to commit"), committer);
        }
        assertFalse(tasks(graph()).toString().contains("connections"));
    }

    /** Secrets that stand in it, or that it names, are read where clients are made. */
    @Test
    void ofTheKafkaConfigurationThePathTravels(@TempDir Path folder) throws Exception {
        Path config = folder.resolve("client.properties");
        Files.writeString(
                config, "ssl.key.password=marker-secret\nssl.truststore.password=${env:PATH}\n");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        SluiceJob.build(env, options(new KafkaClients("localhost:1", config.toString()), false));
        byte[] graph = InstantiationUtil.serializeObject(env.getStreamGraph().getJobGraph());
        String text = new String(graph, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains(config.toString()) && text.contains("ssl.key.password"));
        assertFalse(text.contains("marker-secret"));
        assertFalse(text.contains(System.getenv("PATH")));
    }
}
