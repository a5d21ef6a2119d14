package dev.sluice.job.kafka;

import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;

/**
 * {@link KafkaSource} with better recovery. A bounded one also ends after a restore ({@link
 * RestoredSplits}). An unbounded one waits for an absent Kafka ({@link PatientDiscovery}).
 *
 * <p>Readers and state are the KafkaSource's.
 *
 * @param <T> its elements
 */
public record RestorableSource<T>(KafkaSource<T> kafka)
        implements Source<T, KafkaPartitionSplit, KafkaSourceEnumState>,
                ResultTypeQueryable<T>,
                LineageVertexProvider {

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState state)
            throws IOException {
        return getBoundedness() == Boundedness.BOUNDED && RestoredSplits.areAllOf(state)
                ? new RestoredSplits(context, state)
                : kafka.restoreEnumerator(
                        new PatientDiscovery(context, state.initialDiscoveryFinished()), state);
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context) {
        return kafka.createEnumerator(new PatientDiscovery(context, false));
    }

    @Override
    public SourceReader<T, KafkaPartitionSplit> createReader(SourceReaderContext context)
            throws Exception {
        return kafka.createReader(context);
    }

    @Override
    public Boundedness getBoundedness() {
        return kafka.getBoundedness();
    }

    @Override
    public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
        return kafka.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
        return kafka.getEnumeratorCheckpointSerializer();
    }

    @Override
    public TypeInformation<T> getProducedType() {
        return kafka.getProducedType();
    }

    @Override
    public LineageVertex getLineageVertex() {
        return kafka.getLineageVertex();
    }
}
