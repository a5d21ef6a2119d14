package dev.sluice.job.archive;

import org.apache.flink.api.common.watermark.Watermark;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.SourceReaderOptions;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * Source whose readers queue more than two batches between their threads, whatever the cluster's
 * configuration says (decision 0095).
 *
 * @param <T> its elements
 * @param <S> its splits
 * @param <C> state of its enumerator
 */
final class RoomySource<T, S extends SourceSplit, C> implements Source<T, S, C> {
    private static final long serialVersionUID = 1L;

    /** Number of batches between the thread that reads and the task. */
    private static final int ROOM = 32;

    private final Source<T, S, C> source;

    /** Wraps a source. */
    RoomySource(Source<T, S, C> source) {
        this.source = source;
    }

    @Override
    public SourceReader<T, S> createReader(SourceReaderContext context) throws Exception {
        return source.createReader(new Roomy(context));
    }

    @Override
    public Boundedness getBoundedness() {
        return source.getBoundedness();
    }

    @Override
    public SplitEnumerator<S, C> createEnumerator(SplitEnumeratorContext<S> context)
            throws Exception {
        return source.createEnumerator(context);
    }

    @Override
    public SplitEnumerator<S, C> restoreEnumerator(SplitEnumeratorContext<S> context, C saved)
            throws Exception {
        return source.restoreEnumerator(context, saved);
    }

    @Override
    public SimpleVersionedSerializer<S> getSplitSerializer() {
        return source.getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<C> getEnumeratorCheckpointSerializer() {
        return source.getEnumeratorCheckpointSerializer();
    }

    /** Reader context that configures the longer queue. */
    private record Roomy(SourceReaderContext flinks) implements SourceReaderContext {
        @Override
        public Configuration getConfiguration() {
            Configuration config = new Configuration(flinks.getConfiguration());
            config.set(SourceReaderOptions.ELEMENT_QUEUE_CAPACITY, ROOM);
            return config;
        }

        @Override
        public SourceReaderMetricGroup metricGroup() {
            return flinks.metricGroup();
        }

        @Override
        public String getLocalHostName() {
            return flinks.getLocalHostName();
        }

        @Override
        public int getIndexOfSubtask() {
            return flinks.getIndexOfSubtask();
        }

        @Override
        public void sendSplitRequest() {
            flinks.sendSplitRequest();
        }

        @Override
        public void sendSourceEventToCoordinator(SourceEvent event) {
            flinks.sendSourceEventToCoordinator(event);
        }

        @Override
        public UserCodeClassLoader getUserCodeClassLoader() {
            return flinks.getUserCodeClassLoader();
        }

        @Override
        public int currentParallelism() {
            return flinks.currentParallelism();
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            flinks.emitWatermark(watermark);
        }
    }
}
