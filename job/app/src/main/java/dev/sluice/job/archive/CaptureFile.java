package dev.sluice.job.archive;

import java.io.Serializable;
import org.apache.flink.core.fs.Path;

/**
 * Capture of an archive.
 *
 * @param name as the user would write it; verdicts contain it
 * @param location as Flink's {@link Path} has it
 * @param bytes its length
 */
public record CaptureFile(String name, String location, long bytes) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Returns the path of the capture. */
    Path path() {
        return new Path(location);
    }
}
