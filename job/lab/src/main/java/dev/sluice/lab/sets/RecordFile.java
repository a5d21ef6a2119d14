package dev.sluice.lab.sets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A JSON file of measurements: one array of objects, written after each of them. A record takes the
 * place of an earlier one with the same keys. Not thread-safe.
 */
public final class RecordFile {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private final Path file;
    private final List<String> keys;
    private final List<ObjectNode> records = new ArrayList<>();

    /**
     * A file that may be there with records of an earlier run.
     *
     * @param keys members that name a record
     * @param what the file holds, for errors
     * @throws SluiceException if it is there and holds something else, or cannot be written
     */
    public RecordFile(Path file, List<String> keys, String what) {
        this.file = file;
        this.keys = keys;
        TextFiles.requireWritable(file); // before anything is measured
        if (!Files.exists(file)) {
            return;
        }
        String other = file + ": is not an array of " + what + "; name another file with --out";
        try {
            JsonNode all = JSON.readTree(file.toFile());
            if (!all.isArray() && !all.isMissingNode()) { // an empty file may be filled
                throw new SluiceException(other);
            }
            for (JsonNode node : all) {
                records.add((ObjectNode) node);
            }
        } catch (JsonProcessingException | ClassCastException e) {
            throw new SluiceException(other, e);
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("file", file, e), e);
        }
    }

    /** Writes a record, instead of the one of an earlier run. */
    public void put(ObjectNode record) {
        records.removeIf(r -> keys.stream().allMatch(k -> r.path(k).equals(record.path(k))));
        records.add(record);
        try {
            TextFiles.write(
                    file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(records));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("records have no JSON", e);
        }
    }
}
