package dev.sluice.policy.json;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.schemas.header.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/** Conditions as JSON objects, there and back. */
final class JsonConditions {
    private JsonConditions() {}

    /** Writes the object of a condition. */
    static void write(Condition condition, JsonGenerator out) throws IOException {
        out.writeStartObject();
        if (condition instanceof Condition.All all) {
            writeAll("all", all.conditions(), out);
        } else if (condition instanceof Condition.Any any) {
            writeAll("any", any.conditions(), out);
        } else if (condition instanceof Condition.Not not) {
            out.writeFieldName("not");
            write(not.condition(), out);
        } else if (condition instanceof Condition.In in) {
            out.writeStringField("field", in.field().label());
            out.writeArrayFieldStart("in");
            for (String word : JsonValues.words(in.field(), in.values())) {
                out.writeString(word);
            }
            out.writeEndArray();
        } else if (condition instanceof Condition.Bits bits) {
            out.writeStringField("field", bits.field().label());
            out.writeStringField("bits", "0x%x/0x%x".formatted(bits.value(), bits.mask()));
        } else if (condition instanceof Condition.InState asked) {
            out.writeArrayFieldStart("states");
            for (ConnectionState state : asked.states().stream().sorted().toList()) {
                out.writeString(state.name());
            }
            out.writeEndArray();
        } else if (condition instanceof Condition.Tracked asked) {
            out.writeFieldName("tracked");
            write(asked.bits(), out);
            out.writeStringField("words", asked.words());
        } else if (condition instanceof Condition.Interface name) {
            out.writeStringField(name.incoming() ? "in_interface" : "out_interface", name.name());
        } else if (condition instanceof Condition.OfHost asked) {
            out.writeStringField("field", asked.field().label());
            out.writeStringField("host", asked.type().name().toLowerCase(Locale.ROOT));
            out.writeStringField("words", asked.words());
        } else if (condition instanceof Condition.Within asked) {
            out.writeFieldName("within");
            JsonPeriods.write(asked.period(), out);
            out.writeStringField("words", asked.words());
        } else {
            out.writeStringField("unknown", ((Condition.Unknown) condition).words());
        }
        out.writeEndObject();
    }

    private static void writeAll(String key, List<Condition> conditions, JsonGenerator out)
            throws IOException {
        out.writeArrayFieldStart(key);
        for (Condition one : conditions) {
            write(one, out);
        }
        out.writeEndArray();
    }

    /** Reads the object of a condition. */
    static Condition read(YamlNode node) throws YamlException {
        YamlFields fields = YamlFields.of(node);
        String kind = kind(fields);
        Condition condition =
                switch (kind) {
                    case "all" -> new Condition.All(readAll(fields.require(kind)));
                    case "any" -> new Condition.Any(readAll(fields.require(kind)));
                    case "not" -> new Condition.Not(read(fields.require(kind)));
                    case "in" -> new Condition.In(field(fields), values(fields));
                    case "bits" -> bits(fields);
                    case "states" -> new Condition.InState(states(fields.require(kind)));
                    case "tracked" ->
                            new Condition.Tracked(
                                    read(fields.require(kind)), fields.requireString("words"));
                    case "in_interface", "out_interface" ->
                            new Condition.Interface(
                                    kind.equals("in_interface"), fields.requireString(kind));
                    case "host" ->
                            new Condition.OfHost(
                                    address(fields),
                                    JsonWords.of(Condition.AddressType.class, fields.require(kind)),
                                    fields.requireString("words"));
                    case "within" ->
                            new Condition.Within(
                                    JsonPeriods.read(fields.require(kind)),
                                    fields.requireString("words"));
                    default -> new Condition.Unknown(fields.requireString(kind));
                };
        fields.requireNoMore("a condition with " + kind);
        return condition;
    }

    private static final Set<String> KINDS =
            Set.of(
                    "all",
                    "any",
                    "not",
                    "in",
                    "bits",
                    "states",
                    "tracked",
                    "in_interface",
                    "out_interface",
                    "host",
                    "within",
                    "unknown");

    private static String kind(YamlFields fields) throws YamlException {
        for (YamlNode.Scalar key : fields.keys()) {
            if (KINDS.contains(key.text())) {
                return key.text();
            }
        }
        throw fields.at()
                .refused(
                        fields.words(),
                        "is no condition; write one of the members "
                                + String.join(", ", KINDS.stream().sorted().toList()));
    }

    private static List<Condition> readAll(YamlNode list) throws YamlException {
        List<Condition> all = new ArrayList<>();
        for (YamlNode one : list.values()) {
            all.add(read(one));
        }
        return all;
    }

    private static Field field(YamlFields fields) throws YamlException {
        YamlNode node = fields.require("field");
        Field field = Field.labelled(node.string()).orElse(null);
        if (field == null) {
            throw node.at()
                    .refused(node.string(), "is no field of packets; docs/fields.md lists them");
        }
        return field;
    }

    private static final Set<Field> ADDRESSES =
            Set.of(Field.IPV4_SRC, Field.IPV4_DST, Field.IPV6_SRC, Field.IPV6_DST);

    private static Field address(YamlFields fields) throws YamlException {
        Field field = field(fields);
        if (!ADDRESSES.contains(field)) {
            throw fields.at().refused(field.label(), "is no address, which a host may have");
        }
        return field;
    }

    private static ValueSet values(YamlFields fields) throws YamlException {
        Field field = field(fields);
        List<ValueSet.Range> ranges = new ArrayList<>();
        for (YamlNode node : fields.require("in").values()) {
            String word = node instanceof YamlNode.Scalar scalar ? scalar.text() : node.words();
            try {
                ranges.add(JsonValues.range(field, word, node.at().column()));
            } catch (RuleSyntaxException e) {
                throw node.at().refused(e);
            }
        }
        return new ValueSet(ranges);
    }

    private static Condition bits(YamlFields fields) throws YamlException {
        Field field = field(fields);
        YamlNode node = fields.require("bits");
        String[] parts = node.string().split("/", -1);
        int column = node.at().column();
        try {
            if (parts.length != 2) {
                throw new RuleSyntaxException(
                        column, node.string(), "is no value and mask; write 0xVALUE/0xMASK");
            }
            return new Condition.Bits(
                    field,
                    JsonValues.bits(field, parts[0], column),
                    JsonValues.bits(field, parts[1], column));
        } catch (RuleSyntaxException e) {
            throw node.at().refused(e);
        }
    }

    private static Set<ConnectionState> states(YamlNode list) throws YamlException {
        Set<ConnectionState> states = EnumSet.noneOf(ConnectionState.class);
        for (YamlNode one : list.values()) {
            states.add(Objects.requireNonNull(JsonWords.of(ConnectionState.class, one)));
        }
        return states;
    }
}
