package dev.sluice.job.replay;

import dev.sluice.policy.io.Amount;
import java.nio.file.Path;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** How many packets of which captures an export has sent. Not thread-safe. */
final class ExportedPackets {
    private final StringJoiner filesBefore = new StringJoiner(", ");
    private long ofFilesBefore;
    private @Nullable Path file;
    private long ofFile;

    /** Goes on to a capture: what was sent of the one in front of it is stored. */
    void begin(Path next) {
        if (file != null) {
            filesBefore.add(Amount.of(ofFile, "packet") + " of " + file);
            ofFilesBefore += ofFile;
            ofFile = 0;
        }
        file = next;
    }

    /** Counts a packet of the capture. */
    void add() {
        ofFile++;
    }

    /** Packets of the capture so far. */
    long ofFile() {
        return ofFile;
    }

    /** Packets of all captures so far. */
    long count() {
        return ofFilesBefore + ofFile;
    }

    /**
     * Describes the topics' content after a failed export.
     *
     * @param exactly whether all counted packets of the last capture are stored
     */
    String describe(boolean exactly) {
        String last =
                "%s %s of %s"
                        .formatted(
                                exactly ? "the first" : "at most",
                                Amount.of(ofFile, "packet"),
                                file);
        return "the topics now hold "
                + (filesBefore.length() == 0 ? last : filesBefore + " and " + last);
    }
}
