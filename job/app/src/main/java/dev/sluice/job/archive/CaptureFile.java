package dev.sluice.job.archive;

import java.io.Serializable;
import org.apache.flink.core.fs.Path;

/**
 * A capture of an archive.
 *
 * @param name what verdicts call it: as the user would write it
 * @param location as Flink's {@link Path} has it
 * @param bytes its length
 */
public record CaptureFile(String name, String location, long bytes) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** Where it lies. */
    Path path() {
        return new Path(location);
    }
}
