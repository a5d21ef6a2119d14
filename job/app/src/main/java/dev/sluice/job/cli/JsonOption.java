package dev.sluice.job.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** The option that has a command print its figures for a program, as {@code docs/json.md} tells. */
public final class JsonOption {
    @Option(names = "--json", description = "Print the figures as JSON; docs/json.md lists them.")
    private boolean json;

    /** Tells whether JSON was requested. */
    public boolean isGiven() {
        return json;
    }

    /** An object without members. */
    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Prints an object as a line. */
    public static void print(PrintWriter out, ObjectNode object) {
        out.println(object);
    }
}
