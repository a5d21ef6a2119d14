package dev.sluice.job.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command: its options as fields, and one call that returns the exit status. */
public abstract class SluiceCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /** Returns the command as the parser knows it. */
    protected final CommandSpec spec() {
        return spec;
    }

    /** Returns standard output. */
    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Returns standard error. */
    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** Says something on standard error. */
    protected final void say(String text) {
        err().println("sluice: " + text);
    }
}
