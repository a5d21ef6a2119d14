package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** The option that has a command print its figures for a program, as {@code docs/json.md} tells. */
public final class JsonOption {
    static final String DESCRIPTION = "Print the figures as JSON; docs/json.md lists them.";

    @Option(names = "--json", description = DESCRIPTION)
    private boolean json;

    /** Tells whether JSON was requested. */
    public boolean isGiven() {
        return json;
    }

    /** An object without members. */
    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Prints figures: an object for a program, or a line for a person. */
    public void print(PrintWriter out, ObjectNode object, String line) {
        out.println(json ? object : line);
    }

    /** Prints an object as a line. */
    public static void print(PrintWriter out, ObjectNode object) {
        out.println(object);
    }
}
