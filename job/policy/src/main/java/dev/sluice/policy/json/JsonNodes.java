package dev.sluice.policy.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.policy.yaml.YamlPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reader of a JSON text as nodes that know their line, as those of YAML do. */
public final class JsonNodes {
    private static final int MOST_NESTED = 500;

    private final String file;
    private final JsonParser in;
    private final String remedy;

    private JsonNodes(String file, JsonParser in, String remedy) {
        this.file = file;
        this.in = in;
        this.remedy = remedy;
    }

    /**
     * The values of a text, one behind the other.
     *
     * @param remedy words on how to make a whole text, as in {@code make it by sluice}
     * @throws YamlException at the first character that no JSON has there
     */
    public static List<YamlNode> of(String file, String text, String remedy)
            throws YamlException, IOException {
        JsonFactory json =
                JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
        try (JsonParser parser = json.createParser(text)) {
            JsonNodes reader = new JsonNodes(file, parser, remedy);
            List<YamlNode> values = new ArrayList<>();
            while (parser.nextToken() != null) {
                values.add(reader.value(0));
            }
            return values;
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            YamlPosition position =
                    at == null
                            ? new YamlPosition(file, 1, 1)
                            : new YamlPosition(
                                    file,
                                    Math.max(1, at.getLineNr()),
                                    Math.max(1, at.getColumnNr()));
            throw position.refused(
                    "{", "is no whole JSON (%s); %s".formatted(e.getOriginalMessage(), remedy));
        }
    }

    private YamlPosition position() {
        JsonLocation at = in.currentTokenLocation();
        return new YamlPosition(file, at.getLineNr(), at.getColumnNr());
    }

    private YamlNode value(int depth) throws IOException, YamlException {
        YamlPosition at = position();
        JsonToken token = in.currentToken();
        if (token == null || depth > MOST_NESTED) {
            throw at.refused(
                    "{",
                    token == null
                            ? "has no end; " + remedy
                            : "is nested too deep; use fewer than %d levels"
                                    .formatted(MOST_NESTED));
        }
        if (token == JsonToken.START_ARRAY) {
            List<YamlNode> values = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                values.add(value(depth + 1));
            }
            return new YamlNode.Sequence(at, values, 1 + values.size());
        }
        if (token == JsonToken.START_OBJECT) {
            List<YamlNode.Entry> entries = new ArrayList<>();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                YamlNode.Scalar key = new YamlNode.Scalar(position(), in.currentName(), false);
                in.nextToken();
                entries.add(new YamlNode.Entry(key, value(depth + 1)));
            }
            return new YamlNode.Mapping(at, entries, 1 + entries.size());
        }
        return new YamlNode.Scalar(at, in.getText(), token != JsonToken.VALUE_STRING);
    }
}
