package dev.sluice.job.archive;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.capture.ParserOptions;
import dev.sluice.job.graph.SavedJob;
import dev.sluice.job.graph.SavedJobs;
import dev.sluice.job.graph.SluiceJob;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which job of an archive can go on from what another one has left. */
class ArchiveIdentityTest {
    private static final CaptureFile A = new CaptureFile("a.pcap", "file:/x/a.pcap", 24);
    private static final CaptureFile B = new CaptureFile("b.pcap", "file:/x/b.pcap", 24);
    private static final CaptureFile C = new CaptureFile("c.pcap", "file:/x/c.pcap", 24);

    @TempDir private Path folder;

    private static RuleSet rules(String defaultAction) {
        Path file = TestData.office("office.ovs");
        return RuleFile.read(file, null).toRuleSet(file.toString(), 1, defaultAction);
    }

    private static ArchiveOptions options(
            List<CaptureFile> captures, RuleSet rules, String verdicts, ArchiveOptions.Form form) {
        return new ArchiveOptions(
                captures,
                rules,
                ParserOptions.DEFAULTS,
                null,
                null,
                EngineOptions.DEFAULTS,
                verdicts,
                form,
                Duration.ofSeconds(1));
    }

    private static final ArchiveOptions OPTIONS =
            options(List.of(A, B), rules("drop"), "file:/x/v", ArchiveOptions.Form.TSV);

    private static JobGraph graph(ArchiveOptions options) {
        return graph(options, new Configuration());
    }

    private static JobGraph graph(ArchiveOptions options, Configuration config) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(config);
        ArchiveJob.build(env, options);
        return env.getStreamGraph(false).getJobGraph();
    }

    @Test
    void piecesOfCapturesStayInTheirTaskWhateverTheClusterSays() {
        Configuration config = new Configuration();
        config.set(PipelineOptions.OPERATOR_CHAINING, false);
        assertEquals(
                graph(OPTIONS, new Configuration()).getNumberOfVertices(),
                graph(OPTIONS, config).getNumberOfVertices());
    }

    /** What a job leaves. */
    private SavedJob saved(ArchiveOptions options) throws IOException {
        List<OperatorState> operators = new ArrayList<>();
        for (JobVertex vertex : graph(options).getVertices()) {
            for (OperatorIDPair operator : vertex.getOperatorIDs()) {
                operators.add(
                        new OperatorState(
                                null,
                                operator.getUserDefinedOperatorUid(),
                                operator.getGeneratedOperatorID(),
                                1,
                                128));
            }
        }
        return SavedJobs.of(folder, operators);
    }

    private static void goOn(SavedJob saved, ArchiveOptions options) {
        ArchiveJob.requireGoesOn(saved, graph(options), options);
    }

    private void refused(String why, ArchiveOptions options) throws IOException {
        SavedJob saved = saved(OPTIONS);
        assertEquals(
                folder + why,
                assertThrows(SluiceException.class, () -> goOn(saved, options)).getMessage());
    }

    @Test
    void theSameJobGoesOnWithOtherEngineOptions() throws IOException {
        SavedJob saved = saved(OPTIONS);
        ArchiveOptions again =
                new ArchiveOptions(
                        OPTIONS.captures(),
                        rules("drop"), // read anew
                        ParserOptions.DEFAULTS,
                        null,
                        null,
                        EngineOptions.DEFAULTS.withBudget(1 << 20),
                        OPTIONS.verdicts(),
                        OPTIONS.form(),
                        Duration.ofSeconds(9));
        assertDoesNotThrow(() -> goOn(saved, again));
    }

    @Test
    void otherCapturesAreRefused() throws IOException {
        refused(
                " is of a job on 2 captures, but the captures named are 3; name the same captures in the same way, or start a new job for others",
                options(List.of(A, B, C), OPTIONS.rules(), "file:/x/v", OPTIONS.form()));
        refused(
                " is of a job on 2 captures, but the captures named are others; name the same captures in the same way, or start a new job for others",
                options(List.of(A, C), OPTIONS.rules(), "file:/x/v", OPTIONS.form()));
    }

    @Test
    void otherRulesAreRefused() throws IOException {
        refused(
                " is of a job with other rules (--rules, --actions, --ports, --default-action) or other headers (--headers, --tags, --in-port, --interfaces); give the values of that job, or start a new job for other rules",
                options(OPTIONS.captures(), rules("NORMAL"), "file:/x/v", OPTIONS.form()));
    }

    @Test
    void anotherFolderOrFormOfVerdictsIsRefused() throws IOException {
        String why =
                " is of a job whose verdicts go to /x/v as tsv; give --verdicts and --format accordingly";
        refused(why, options(OPTIONS.captures(), OPTIONS.rules(), "file:/x/w", OPTIONS.form()));
        refused(
                why,
                options(
                        OPTIONS.captures(),
                        OPTIONS.rules(),
                        "file:/x/v",
                        ArchiveOptions.Form.AVRO));
    }

    @Test
    void aJobOnKafkaIsRefused() throws IOException {
        OperatorState packets =
                new OperatorState(null, SluiceJob.PACKETS_SOURCE, new OperatorID(1, 2), 1, 128);
        SavedJob saved = SavedJobs.of(folder, List.of(packets));
        assertEquals(
                folder + " is of a job on Kafka; go on from it by sluice run",
                assertThrows(SluiceException.class, () -> goOn(saved, OPTIONS)).getMessage());
    }
}
