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
 * The captures that were found, each a split. Flink's own enumerators ask for each file again, one
 * behind the other, which takes minutes for thousands in an object store.
 */
final class ListedCaptures implements FileEnumerator, Serializable {
    private static final long serialVersionUID = 1L;

    private final ArrayList<CaptureFile> captures;

    ListedCaptures(List<CaptureFile> captures) {
        this.captures = new ArrayList<>(captures);
    }

    /**
     * The splits, the smallest first: the assigner begins at the end, and tasks that have done the
     * large ones end at about the same time.
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
