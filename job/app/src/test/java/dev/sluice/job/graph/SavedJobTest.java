package dev.sluice.job.graph;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.job.kafka.TopicNames;
import dev.sluice.policy.io.SluiceException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.flink.connector.kafka.source.enumerator.AssignmentStatus;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;
import org.apache.flink.connector.kafka.source.enumerator.SplitAndAssignmentStatus;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which job can go on from what another one has left. */
class SavedJobTest {
    private static final TopicNames NAMES = TopicNames.defaults();
    private static final JobOptions OPTIONS = SluiceJobTest.options(false);

    @TempDir private Path folder;

    private static OperatorID id(JobGraph job, String uid) {
        for (JobVertex vertex : job.getVertices()) {
            for (OperatorIDPair operator : vertex.getOperatorIDs()) {
                if (uid.equals(operator.getUserDefinedOperatorUid())) {
                    return operator.getGeneratedOperatorID();
                }
            }
        }
        throw new AssertionError("no operator " + uid);
    }

    /** What Flink keeps of a source that reads a partition of a topic up to an offset. */
    private static ByteStreamStateHandle reading(String topic, long end) throws IOException {
        KafkaSourceEnumStateSerializer serializer = new KafkaSourceEnumStateSerializer();
        byte[] state =
                serializer.serialize(
                        new KafkaSourceEnumState(
                                Set.of(
                                        new SplitAndAssignmentStatus(
                                                new KafkaPartitionSplit(
                                                        new TopicPartition(topic, 0), 5, end),
                                                AssignmentStatus.ASSIGNED)),
                                true));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(1);
            out.writeInt(serializer.getVersion());
            out.writeInt(state.length);
            out.write(state);
        }
        return new ByteStreamStateHandle("coordinator", bytes.toByteArray());
    }

    /** A job of which a savepoint holds one operator. */
    private SavedJob saved(String uid, OperatorID id, int most, String topic) throws IOException {
        return saved(uid, id, most, reading(topic, KafkaPartitionSplit.NO_STOPPING_OFFSET));
    }

    private SavedJob saved(String uid, OperatorID id, int most, ByteStreamStateHandle coordinator)
            throws IOException {
        OperatorState operator = new OperatorState(uid, uid, id, 1, most);
        operator.setCoordinatorState(coordinator);
        return SavedJobs.of(folder, List.of(operator));
    }

    private static String refusal(SavedJob saved, JobGraph job) {
        return assertThrows(SluiceException.class, () -> saved.requireGoesOn(job, OPTIONS))
                .getMessage();
    }

    @Test
    void aJobWithTheSameTopicsAndOperatorsGoesOn() throws IOException {
        JobGraph job = SluiceJobTest.graph();
        for (String[] source :
                new String[][] {
                    {SluiceJob.PACKETS_SOURCE, NAMES.packets()},
                    {SluiceJob.RULES_SOURCE, NAMES.rules()}
                }) {
            SavedJob saved = saved(source[0], id(job, source[0]), 128, source[1]);
            assertDoesNotThrow(() -> saved.requireGoesOn(job, OPTIONS));
        }
    }

    @Test
    void offsetsOfOtherTopicsAreRefused() throws IOException {
        JobGraph job = SluiceJobTest.graph();
        String packets = SluiceJob.PACKETS_SOURCE;
        assertEquals(
                folder
                        + " is of a job whose packets topic is other, not sluice-packets; give --packets-topic other, or start without a savepoint",
                refusal(saved(packets, id(job, packets), 128, "other"), job));
        String rules = SluiceJob.RULES_SOURCE;
        String refused = refusal(saved(rules, id(job, rules), 128, "other"), job);
        assertTrue(refused.contains("give --rules-topic other"), refused);
    }

    @Test
    void stateOfAnOperatorThatTheJobLacksIsRefused() throws IOException {
        SavedJob saved = saved("flow-table", new OperatorID(1, 2), 128, NAMES.packets());
        assertEquals(
                folder
                        + " holds state of 'flow-table', which this job does not have: it is of another version of Sluice; start the job from that installation",
                refusal(saved, SluiceJobTest.graph()));
    }

    @Test
    void aJobWithRowsOfConnectionsGoesOnWithThem() throws IOException {
        JobGraph with = SluiceJobTest.graphWithConnections();
        String uid = SluiceJob.CONNECTIONS_SINK;
        SavedJob saved = saved(uid, id(with, uid), 128, NAMES.packets());
        assertDoesNotThrow(() -> saved.requireGoesOn(with, OPTIONS));
        assertEquals(
                folder
                        + " is of a job that writes rows of connections; add its --connections-topic",
                refusal(saved, SluiceJobTest.graph()));
    }

    @Test
    void aJobOnKafkaDoesNotGoOnFromOneOnCaptures() throws IOException {
        SavedJob saved =
                saved(
                        SavedJob.CAPTURES_SOURCE + " of 3, 12ab",
                        new OperatorID(1, 2),
                        128,
                        NAMES.packets());
        assertEquals(
                folder
                        + " is of a job on captures; go on from it by sluice archive, with the captures, --rules and --verdicts of that job",
                refusal(saved, SluiceJobTest.graph()));
    }

    @Test
    void moreSubtasksThanStateIsForAreRefused() throws IOException {
        JobGraph job = SluiceJobTest.graph();
        String packets = SluiceJob.PACKETS_SOURCE;
        job.getVertices().forEach(vertex -> vertex.setParallelism(9));
        assertEquals(
                folder + " holds state for up to 8 subtasks, and --parallelism is 9; lower it",
                refusal(saved(packets, id(job, packets), 8, NAMES.packets()), job));
    }

    @Test
    void aJobWithoutAnEndDoesNotGoOnFromOneWithAnEndNorTheOtherWayRound() throws IOException {
        JobGraph job = SluiceJobTest.graph();
        String packets = SluiceJob.PACKETS_SOURCE;
        OperatorID id = id(job, packets);
        SavedJob ends = saved(packets, id, 128, reading(NAMES.packets(), 9));
        assertEquals(folder + " is of a job with --bounded; add --bounded", refusal(ends, job));
        JobOptions bounded = SluiceJobTest.options(true);
        assertDoesNotThrow(() -> ends.requireGoesOn(job, bounded));
        SavedJob endless = saved(packets, id, 128, NAMES.packets());
        String refused =
                assertThrows(SluiceException.class, () -> endless.requireGoesOn(job, bounded))
                        .getMessage();
        assertTrue(
                refused.endsWith(" is of a job without --bounded; leave out --bounded"), refused);
    }

    @Test
    void whatCannotBeReadIsRefused() throws IOException {
        Files.write(folder.resolve("_metadata"), new byte[] {1, 2, 3});
        String refused =
                assertThrows(SluiceException.class, () -> SavedJob.read(folder)).getMessage();
        assertTrue(refused.startsWith(folder + " cannot be read: "), refused);
        assertTrue(refused.contains("it is damaged, or of a newer Sluice"), refused);
    }
}
