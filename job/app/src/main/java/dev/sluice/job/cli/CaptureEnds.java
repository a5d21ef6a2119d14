package dev.sluice.job.cli;

import dev.sluice.job.capture.CaptureEnd;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/** Report on captures that did not end cleanly, after their classification. */
final class CaptureEnds {
    private CaptureEnds() {}

    /**
     * Prints a line for each of them, and for each capture with later fragments that lack their
     * first one.
     *
     * @param ends how captures ended, in their order; those behind are not told of
     * @return whether there is none
     */
    static boolean report(List<Path> captures, List<CaptureEnd> ends, PrintWriter err) {
        boolean clean = true;
        for (int i = 0; i < ends.size(); i++) {
            String capture = captures.get(i).toString();
            ends.get(i).describeLone(capture).ifPresent(text -> err.println("sluice: " + text));
            if (!ends.get(i).isClean()) {
                err.println("sluice: " + ends.get(i).describeClassified(capture));
                clean = false;
            }
        }
        return clean;
    }
}
