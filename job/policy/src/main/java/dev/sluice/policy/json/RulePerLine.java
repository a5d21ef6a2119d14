package dev.sluice.policy.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.IOException;
import java.util.Set;

/** Form of the JSON of policies: a line for each policy, stage and rule. */
final class RulePerLine extends MinimalPrettyPrinter {
    private static final long serialVersionUID = 1L;

    /** Most values of a list in a line. */
    private static final int MOST_VALUES = 1_000;

    /** Objects around a rule: document, policy, stage, chains. */
    private static final int AROUND_RULES = 4;

    private static final Set<String> OF_CONDITIONS = Set.of("all", "any", "in", "states");

    private int objects;

    @Override
    public void writeStartObject(JsonGenerator out) throws IOException {
        super.writeStartObject(out);
        objects++;
    }

    @Override
    public void writeObjectEntrySeparator(JsonGenerator out) throws IOException {
        out.writeRaw(", ");
    }

    @Override
    public void writeObjectFieldValueSeparator(JsonGenerator out) throws IOException {
        out.writeRaw(": ");
    }

    @Override
    public void writeEndObject(JsonGenerator out, int entries) throws IOException {
        objects--;
        super.writeEndObject(out, entries);
    }

    @Override
    public void beforeArrayValues(JsonGenerator out) throws IOException {
        if (hasLines(out)) {
            out.writeRaw('\n');
        }
    }

    /** Returns whether each value of the list that is written is a line. */
    private boolean hasLines(JsonGenerator out) {
        JsonStreamContext list = out.getOutputContext();
        String name = list.getParent().getCurrentName();
        return objects <= AROUND_RULES && !OF_CONDITIONS.contains(name);
    }

    @Override
    public void writeArrayValueSeparator(JsonGenerator out) throws IOException {
        boolean full = out.getOutputContext().getCurrentIndex() % MOST_VALUES == MOST_VALUES - 1;
        out.writeRaw(full || hasLines(out) ? ",\n" : ", ");
    }
}
