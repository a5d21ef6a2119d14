package dev.sluice.job.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Choice of the differences of two policies that make the exit status 1. */
final class FailOnOption {
    private enum Failing {
        DENIED,
        PERMITTED,
        ANY
    }

    @Option(
            names = "--fail-on",
            paramLabel = "CHANGE",
            split = ",",
            description =
                    "Exit with status 1 if the new rules deny, or may deny, packets that the old ones do not (denied), if they permit, or may permit, packets that the old ones do not (permitted), or if there is any difference (any). Differences that could not be decided count as any of these.")
    private List<Failing> failOn = new ArrayList<>();

    boolean isGiven() {
        return !failOn.isEmpty();
    }

    /** Returns whether one of these differences makes the command fail. */
    boolean fails(boolean mayDeny, boolean mayPermit, boolean any) {
        return failOn.contains(Failing.DENIED) && mayDeny
                || failOn.contains(Failing.PERMITTED) && mayPermit
                || failOn.contains(Failing.ANY) && any;
    }
}
