package dev.sluice.policy.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Counters;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.MarkState;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Stage;
import dev.sluice.policy.model.Vantage;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writer of policies as JSON, with a line for each rule. */
public final class PolicyJsonWriter {
    /** The member that tells the form, and its version. */
    static final String VERSION_MEMBER = "sluice_policy";

    static final int VERSION = 1;

    private final JsonGenerator out;

    private PolicyJsonWriter(JsonGenerator out) {
        this.out = out;
    }

    /** The lines of a document of policies. */
    public static List<String> lines(List<Policy> policies) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = new JsonFactory().createGenerator(text)) {
            out.setPrettyPrinter(new RulePerLine());
            out.writeStartObject();
            out.writeNumberField(VERSION_MEMBER, VERSION);
            out.writeArrayFieldStart("policies");
            for (Policy policy : policies) {
                new PolicyJsonWriter(out).write(policy);
            }
            out.writeEndArray();
            out.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a StringWriter does not fail
        }
        return text.toString().lines().toList();
    }

    private void write(Policy policy) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", policy.name());
        write("judges", policy.judges(), Condition.ALWAYS);
        out.writeArrayFieldStart("stages");
        for (Stage stage : policy.stages()) {
            write(stage);
        }
        out.writeEndArray();
        if (policy.untracked() != null) {
            out.writeFieldName("untracked");
            write(policy.untracked());
        }
        out.writeEndObject();
    }

    /** Writes a member, unless its condition is the usual one. */
    private void write(String key, Condition condition, Condition usual) throws IOException {
        if (!condition.equals(usual)) {
            out.writeFieldName(key);
            JsonConditions.write(condition, out);
        }
    }

    private void write(Stage stage) throws IOException {
        out.writeStartObject();
        out.writeStringField("name", stage.name());
        out.writeStringField("base", stage.base());
        write("judges", stage.judges(), Condition.ALWAYS);
        Vantage vantage = stage.vantage();
        out.writeObjectFieldStart("sees");
        out.writeBooleanField("in_interface", vantage.incoming());
        out.writeBooleanField("out_interface", vantage.outgoing());
        out.writeBooleanField("forwarded", vantage.forwarded());
        write("reassembled", vantage.reassembled(), Condition.NEVER);
        out.writeStringField("states", vantage.states().name().toLowerCase(Locale.ROOT));
        MarkState marks = vantage.marks();
        if (!marks.equals(MarkState.OLD)) {
            out.writeObjectFieldStart("marks");
            out.writeNumberField("known", Integer.toUnsignedLong(marks.known()));
            out.writeNumberField("bits", Integer.toUnsignedLong(marks.bits()));
            out.writeNumberField("lost", Integer.toUnsignedLong(marks.lost()));
            out.writeNumberField("of_nat", Integer.toUnsignedLong(marks.ofNat()));
            out.writeEndObject();
        }
        out.writeEndObject();
        out.writeFieldName("end");
        write(stage.end());
        out.writeObjectFieldStart("chains");
        for (Map.Entry<String, List<PolicyRule>> chain : stage.chains().entrySet()) {
            out.writeArrayFieldStart(chain.getKey());
            for (PolicyRule rule : chain.getValue()) {
                write(rule);
            }
            out.writeEndArray();
        }
        out.writeEndObject();
        if (!stage.before().isEmpty()) {
            out.writeArrayFieldStart("before");
            for (Stage one : stage.before()) {
                write(one);
            }
            out.writeEndArray();
        }
        out.writeEndObject();
    }

    private void write(PolicyRule rule) throws IOException {
        Origin origin = rule.origin();
        out.writeStartObject();
        out.writeStringField("file", origin.file());
        out.writeNumberField("line", origin.line());
        out.writeStringField("chain", origin.chain());
        out.writeStringField("text", origin.text());
        if (!origin.comment().isEmpty()) {
            out.writeStringField("comment", origin.comment());
        }
        Counters counters = origin.counters();
        if (counters != null) {
            out.writeNumberField("packets", counters.packets());
            out.writeNumberField("bytes", counters.bytes());
        }
        out.writeStringField("action", rule.action());
        Effect effect = rule.effect();
        out.writeStringField("outcome", outcome(effect));
        String to = Stage.target(rule);
        if (to != null) {
            out.writeStringField("to", to);
        }
        if (effect instanceof Effect.Mark mark) {
            out.writeNumberField("mask", Integer.toUnsignedLong(mark.mask()));
            out.writeNumberField("flipped", Integer.toUnsignedLong(mark.flipped()));
            out.writeNumberField("lost", Integer.toUnsignedLong(mark.lost()));
        }
        write("condition", rule.condition(), Condition.ALWAYS);
        out.writeEndObject();
    }

    private static String outcome(Effect effect) {
        if (effect instanceof Effect.Decide decide) {
            return decide.outcome().label();
        }
        return effect.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }
}
