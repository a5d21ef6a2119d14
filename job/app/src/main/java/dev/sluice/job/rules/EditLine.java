package dev.sluice.job.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.job.rules.RuleEdit.Position;
import dev.sluice.job.rules.RuleEdit.Side;
import dev.sluice.policy.RuleText;
import dev.sluice.policy.SwitchPorts;
import dev.sluice.policy.io.SluiceException;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads edits from lines of JSON, each an object with one of these keys, rules being in the words
 * of rule files, and a rule that is there being named by its id, its line or its text:
 *
 * <pre>
 * {"add": "RULE"}                      at the end of the rules of its priority
 * {"add": "RULE", "first": true}       or "last"; or "before" or "after": ID, LINE or "RULE"
 * {"remove": ID, LINE or "RULE"}
 * {"change": ID, LINE or "RULE", "to": "RULE"}
 * </pre>
 */
public final class EditLine {
    private static final ObjectReader JSON =
            JsonMapper.builder()
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                    .build()
                    .reader();
    private static final Set<String> POSITIONS = Set.of("first", "last", "before", "after");
    private static final String FORMS =
            "write {\"add\": \"RULE\"}, {\"remove\": ID} or {\"change\": ID, \"to\": \"RULE\"}";

    private EditLine() {}

    /**
     * The edit in a line.
     *
     * @param ports names of ports of a switch that rules may use
     * @throws SluiceException with what is wrong and what to write instead
     */
    public static RuleEdit parse(String line, SwitchPorts ports) {
        JsonNode object;
        try {
            object = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new SluiceException("not JSON: " + e.getOriginalMessage() + "; " + FORMS, e);
        }
        if (!object.isObject()) {
            throw new SluiceException("not a JSON object; " + FORMS);
        }
        if (object.has("add")) {
            Position position = position(object);
            return new RuleEdit.Add(RuleText.parse(text(object, "add"), ports), position);
        }
        if (object.has("remove")) {
            allow(object, List.of("remove"));
            return new RuleEdit.Remove(name(object, "remove"));
        }
        if (object.has("change")) {
            allow(object, List.of("change", "to"));
            return new RuleEdit.Change(
                    name(object, "change"), RuleText.parse(text(object, "to"), ports));
        }
        throw new SluiceException("neither 'add' nor 'remove' nor 'change' is there; " + FORMS);
    }

    private static void allow(JsonNode object, List<String> keys) {
        for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!keys.contains(name)) {
                throw new SluiceException(
                        "'%s' is no key beside '%s'; remove it".formatted(name, keys.get(0)));
            }
        }
    }

    private static String text(JsonNode object, String key) {
        JsonNode value = object.get(key);
        if (value == null || !value.isTextual()) {
            throw new SluiceException("'%s' is not the text of a rule; %s".formatted(key, FORMS));
        }
        return value.textValue();
    }

    private static RuleEdit.Name name(JsonNode object, String key) {
        JsonNode value = object.get(key);
        if (value.isTextual()) {
            return RuleEdit.Name.parse(value.textValue());
        }
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            return new RuleEdit.Name(value.asText(), value.longValue(), null);
        }
        throw new SluiceException(
                "'%s' is no id, no line and no text of a rule; %s".formatted(key, FORMS));
    }

    private static Position position(JsonNode object) {
        @Nullable Position position = null;
        for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (name.equals("add")) {
                continue;
            }
            if (!POSITIONS.contains(name)) {
                throw new SluiceException(
                        "'" + name + "' is no key beside 'add'; use first, last, before or after");
            }
            if (position != null) {
                throw new SluiceException("two positions; use one of first, last, before or after");
            }
            Side side = Side.valueOf(name.toUpperCase(Locale.ROOT));
            boolean beside = side == Side.BEFORE || side == Side.AFTER;
            if (!beside && !object.get(name).asBoolean()) {
                throw new SluiceException("'" + name + "' is not true; write true or leave it out");
            }
            position = new Position(side, beside ? name(object, name) : null);
        }
        return position == null ? Position.LAST : position;
    }
}
