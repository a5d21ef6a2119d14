package dev.sluice.policy.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import java.io.IOException;

/** Form of the JSON of policies: a line for each policy, stage and rule. */
final class RulePerLine extends MinimalPrettyPrinter {
    private static final long serialVersionUID = 1L;

    /** Objects around a rule: document, policy, stage, chains. */
    private static final int AROUND_RULES = 4;

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
        if (objects <= AROUND_RULES) {
            out.writeRaw('\n');
        }
    }

    @Override
    public void writeArrayValueSeparator(JsonGenerator out) throws IOException {
        out.writeRaw(objects <= AROUND_RULES ? ",\n" : ", ");
    }
}
