package dev.sluice.job.lab.pages;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.job.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The folder of raw measurements.
 *
 * @param folder where the JSON and CSV files lie
 */
record RawFiles(Path folder) {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    /** The records of a JSON file, which holds one array of them. */
    List<JsonNode> records(String file) {
        try {
            List<JsonNode> records = new ArrayList<>();
            JSON.readTree(read(file)).forEach(records::add);
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

    /** Whether a file is there. */
    boolean has(String file) {
        return Files.exists(folder.resolve(file));
    }

    NotedCsv csv(String file) {
        return NotedCsv.parse(file, read(file).lines().toList());
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
