package dev.sluice.job.hostile;

/**
 * What Jazzer calls, in a process of its own ({@link FuzzProcess}): one of the readers, which the
 * process is told when it starts. Methods and class are found by their names.
 */
public final class HostileInputFuzz {
    private static HostileTarget target;

    private HostileInputFuzz() {}

    /** Takes the name of a reader. */
    public static void fuzzerInitialize(String[] arguments) {
        target = HostileTarget.ofLabel(arguments[0]);
    }

    /** Has it read an input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        target.read(input);
    }
}
