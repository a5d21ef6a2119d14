package dev.sluice.job.graph;

import java.nio.file.Path;

/**
 * Paths of this machine in the form of Flink's configuration. Flink escapes paths itself: an
 * escaped URI would denote another folder where a name contains a blank.
 */
public final class FlinkPaths {
    private FlinkPaths() {}

    /** Returns the path of a file or folder. */
    public static String text(Path path) {
        return new org.apache.flink.core.fs.Path(path.toAbsolutePath().toUri()).toString();
    }
}
