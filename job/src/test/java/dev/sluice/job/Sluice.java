package dev.sluice.job;

import dev.sluice.job.cli.Main;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs the command line in this process. */
public record Sluice(int status, String out, String err) {
    /** Runs a command and keeps what it prints. */
    public static Sluice run(Object... arguments) {
        String[] words = new String[arguments.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = arguments[i].toString();
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(words, new PrintWriter(out), new PrintWriter(err));
        return new Sluice(status, out.toString(), err.toString());
    }
}
