package dev.sluice.lab.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Folder of raw measurements: a JSON file holds an array of records. A CSV file holds a record a
 * line below its heads; lines that begin with {@code #} say what was measured, and a cell in double
 * quotes may hold commas.
 *
 * @param folder where the JSON and CSV files lie
 */
record RawFiles(Path folder) {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    /** A comma behind which quotes are closed. */
    private static final Pattern COMMA = Pattern.compile(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");

    /** Returns the records of a file; those of a JSON file with their derived members. */
    List<ObjectNode> records(String file) {
        return file.endsWith(".csv") ? csv(file) : DerivedMembers.add(file, json(file));
    }

    private List<ObjectNode> json(String file) {
        try {
            List<ObjectNode> records = new ArrayList<>();
            for (JsonNode record : JSON.readTree(read(file))) {
                records.add((ObjectNode) record);
            }
            return records;
        } catch (JsonProcessingException e) {
            throw new SluiceException(
                    "%s:%d: not JSON: %s"
                            .formatted(
                                    folder.resolve(file),
                                    e.getLocation() == null ? 0 : e.getLocation().getLineNr(),
                                    e.getOriginalMessage()),
                    e);
        }
    }

    private List<ObjectNode> csv(String file) {
        List<String> heads = List.of();
        List<ObjectNode> records = new ArrayList<>();
        List<String> lines = read(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("#")) {
                continue;
            }
            List<String> cells = cells(lines.get(i));
            if (heads.isEmpty()) {
                heads = cells;
                continue;
            }
            if (cells.size() != heads.size()) {
                throw new SluiceException(
                        "%s:%d: %d cells under %d heads; quote cells that hold commas"
                                .formatted(file, i + 1, cells.size(), heads.size()));
            }
            ObjectNode record = JSON.createObjectNode();
            for (int c = 0; c < heads.size(); c++) {
                record.put(heads.get(c), cells.get(c));
            }
            records.add(record);
        }
        return records;
    }

    private static List<String> cells(String line) {
        return Arrays.stream(COMMA.split(line, -1)).map(c -> c.replace("\"", "")).toList();
    }

    private String read(String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (NoSuchFileException e) {
            throw new SluiceException(
                    folder.resolve(file)
                            + " does not exist; name the folder of the raw files with --raw",
                    e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
