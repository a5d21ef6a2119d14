package dev.sluice.job.cli;

import dev.sluice.job.watch.ExitHook;
import dev.sluice.policy.io.Amount;
import java.io.PrintWriter;
import java.util.function.LongSupplier;
import picocli.CommandLine.Model.CommandSpec;

/** The last line of a process that Ctrl-C, or another signal, ends in the middle of a command. */
final class LastLine {
    private final CommandSpec command;
    private final LongSupplier linesPrinted;
    private final PrintWriter err;
    private final ExitHook atExit;

    /**
     * From now on it is printed when the process ends.
     *
     * @param linesPrinted how many are out and stay all, asked if nothing else tells where the
     *     command stands
     */
    LastLine(CommandSpec command, LongSupplier linesPrinted, PrintWriter err) {
        this.command = command;
        this.linesPrinted = linesPrinted;
        this.err = err;
        this.atExit = new ExitHook(this::print);
    }

    private void print() {
        String text = text(command, linesPrinted);
        if (!text.isEmpty()) {
            err.println(text);
        }
    }

    /** The line; empty if the command prints it itself. */
    static String text(CommandSpec command, LongSupplier linesPrinted) {
        String stands =
                command.userObject() instanceof Interruptible knows ? knows.whereItStands() : null;
        if (stands == null) {
            long lines = linesPrinted.getAsLong();
            stands =
                    lines > 0
                            ? Amount.of(lines, "line")
                                    + (lines == 1 ? " was" : " were")
                                    + " printed, and it had not come to its end"
                            : "it had not come to its end, and has printed nothing";
        }
        return stands.isEmpty() ? "" : "sluice: interrupted: " + stands;
    }

    /** The command has ended by itself. */
    void close() {
        atExit.close();
    }
}
