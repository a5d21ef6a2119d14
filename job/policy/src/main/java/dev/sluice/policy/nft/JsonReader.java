package dev.sluice.policy.nft;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reader of a ruleset's JSON, as {@code nft -j list ruleset} prints it. */
final class JsonReader {
    private static final int MOST_NESTED = 100;

    private static final Set<String> VERBS =
            Set.of(
                    "add", "create", "insert", "delete", "destroy", "flush", "replace", "list",
                    "reset", "rename");

    private final String file;
    private final JsonParser in;

    private JsonReader(String file, JsonParser in) {
        this.file = file;
        this.in = in;
    }

    /** The commands of a text. */
    static List<Node> commands(String file, String text) throws RefusedException, IOException {
        JsonFactory json =
                JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
        Node root;
        try (JsonParser parser = json.createParser(text)) {
            JsonReader reader = new JsonReader(file, parser);
            parser.nextToken();
            root = reader.value(0);
            if (parser.nextToken() != null) {
                throw reader.spot()
                        .refused(parser.getText(), "stands behind the ruleset; remove it");
            }
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            Spot spot =
                    at == null
                            ? new Spot(file, 1, 1)
                            : new Spot(
                                    file,
                                    Math.max(1, at.getLineNr()),
                                    Math.max(1, at.getColumnNr()));
            throw spot.refused(
                    "{",
                    "is no whole JSON (%s); dump the ruleset again by nft -j list ruleset"
                            .formatted(e.getOriginalMessage()));
        }
        List<Node> commands = new ArrayList<>();
        Node all = root.need("nftables");
        if (!all.isList()) {
            throw all.refused("is no array of objects; dump the ruleset by nft -j list ruleset");
        }
        for (Node one : all.list()) {
            if (one.map().size() != 1) {
                throw one.refused("is no object of one property; write one command there");
            }
            if (!one.key().equals("metainfo")) {
                commands.add(VERBS.contains(one.key()) ? one : Node.of(one.at(), "add", one));
            }
        }
        return commands;
    }

    private Spot spot() {
        JsonLocation at = in.currentTokenLocation();
        return new Spot(file, at.getLineNr(), at.getColumnNr());
    }

    private Node value(int depth) throws IOException, RefusedException {
        Spot at = spot();
        JsonToken token = in.currentToken();
        if (token == null || depth > MOST_NESTED) {
            throw at.refused("{", "holds no ruleset; dump it by nft -j list ruleset");
        }
        if (token == JsonToken.START_ARRAY) {
            List<Node> list = new ArrayList<>();
            while (in.nextToken() != JsonToken.END_ARRAY) {
                list.add(value(depth + 1));
            }
            return new Node(at, list);
        }
        if (token == JsonToken.START_OBJECT) {
            Map<String, Node> map = new LinkedHashMap<>();
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                String key = in.currentName();
                in.nextToken();
                map.put(key, value(depth + 1));
            }
            return new Node(at, map);
        }
        return new Node(at, token == JsonToken.VALUE_NULL ? null : in.getText());
    }
}
