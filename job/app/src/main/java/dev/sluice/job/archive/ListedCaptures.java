package dev.sluice.job.archive;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.connector.file.src.FileSourceSplit;
import org.apache.flink.connector.file.src.enumerate.FileEnumerator;
import org.apache.flink.core.fs.Path;

/**
 * Enumerator of the listed captures, one split each.
 *
 * <p>Flink's own enumerators query each file again, one after the other, which takes minutes for
 * thousands in an object store.
 */
final class ListedCaptures implements FileEnumerator, Serializable {
    private static final long serialVersionUID = 1L;

    private final ArrayList<CaptureFile> captures;

    ListedCaptures(List<CaptureFile> captures) {
        this.captures = new ArrayList<>(captures);
    }

    /**
     * Returns the splits, the smallest first. The assigner starts at the end, so that tasks read
     * large captures first and end at about the same time.
     */
    @Override
    public Collection<FileSourceSplit> enumerateSplits(Path[] paths, int least) {
        List<FileSourceSplit> splits = new ArrayList<>();
        for (int i = 0; i < captures.size(); i++) {
            CaptureFile capture = captures.get(i);
            splits.add(
                    new FileSourceSplit(
                            String.valueOf(i),
                            capture.path(),
                            0,
                            capture.bytes(),
                            0,
                            capture.bytes()));
        }
        splits.sort(Comparator.comparingLong(FileSourceSplit::length));
        return splits;
    }
}
