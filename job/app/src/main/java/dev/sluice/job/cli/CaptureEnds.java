package dev.sluice.job.cli;

import dev.sluice.job.capture.CaptureEnd;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/** Report on captures that did not end cleanly, after their classification. */
final class CaptureEnds {
    private CaptureEnds() {}

    /**
     * Prints a line for each of them.
     *
     * @param ends how captures ended, in their order; those behind are not told of
     * @return whether there is none
     */
    static boolean report(List<Path> captures, List<CaptureEnd> ends, PrintWriter err) {
        boolean clean = true;
        for (int i = 0; i < ends.size(); i++) {
            if (!ends.get(i).isClean()) {
                err.println(
                        "sluice: " + ends.get(i).describeClassified(captures.get(i).toString()));
                clean = false;
            }
        }
        return clean;
    }
}
