package dev.sluice.job.archive;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.SourceReaderOptions;
import org.apache.flink.connector.file.src.AbstractFileSource;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.FileSourceSplitSerializer;
import org.apache.flink.connector.file.src.assigners.SimpleSplitAssigner;
import org.apache.flink.connector.file.src.enumerate.FileEnumerator;
import org.apache.flink.connector.file.src.impl.FileSourceReader;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Flink's file source of the listed captures, one split each.
 *
 * <p>Flink's own enumerators query each file again, one after the other, which takes minutes for
 * thousands in an object store. Readers queue more than two batches between their threads, whatever
 * the cluster's configuration says (decision 0095).
 */
final class CaptureFileSource extends AbstractFileSource<CapturePiece, FileSourceSplit> {
    private static final long serialVersionUID = 1L;

    /** Number of batches between the thread that reads and the task. */
    private static final int ROOM = 32;

    private final CaptureFormat format;

    CaptureFileSource(List<CaptureFile> captures, CaptureFormat format) {
        super(
                captures.stream().map(CaptureFile::path).toArray(Path[]::new),
                enumerators(captures),
                SimpleSplitAssigner::new,
                format,
                null);
        this.format = format;
    }

    private static FileEnumerator.Provider enumerators(List<CaptureFile> captures) {
        ArrayList<CaptureFile> sent = new ArrayList<>(captures); // which is serializable
        return () -> (paths, least) -> splits(sent);
    }

    /**
     * Returns the splits, the smallest first. The assigner starts at the end, so that tasks read
     * large captures first and end at about the same time.
     */
    private static Collection<FileSourceSplit> splits(List<CaptureFile> captures) {
        List<FileSourceSplit> splits = new ArrayList<>();
        for (CaptureFile capture : captures) {
            String id = String.valueOf(splits.size());
            long bytes = capture.bytes();
            splits.add(new FileSourceSplit(id, capture.path(), 0, bytes, 0, bytes));
        }
        splits.sort(Comparator.comparingLong(FileSourceSplit::length));
        return splits;
    }

    @Override
    public SourceReader<CapturePiece, FileSourceSplit> createReader(SourceReaderContext context) {
        Configuration config = new Configuration(context.getConfiguration());
        config.set(SourceReaderOptions.ELEMENT_QUEUE_CAPACITY, ROOM);
        return new FileSourceReader<>(context, format, config);
    }

    @Override
    public SimpleVersionedSerializer<FileSourceSplit> getSplitSerializer() {
        return FileSourceSplitSerializer.INSTANCE;
    }
}
