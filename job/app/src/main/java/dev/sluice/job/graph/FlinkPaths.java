package dev.sluice.job.graph;

import java.nio.file.Path;

/**
 * Names of files and folders as Flink's configuration takes them. Flink escapes what it is given
 * itself: a URI that is escaped already would name another folder where the name has a blank.
 */
public final class FlinkPaths {
    private FlinkPaths() {}

    /** A file or folder of this machine. */
    public static String text(Path path) {
        return new org.apache.flink.core.fs.Path(path.toAbsolutePath().toUri()).toString();
    }
}
