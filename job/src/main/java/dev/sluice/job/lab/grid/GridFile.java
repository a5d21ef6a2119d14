package dev.sluice.job.lab.grid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.SluiceException;
import dev.sluice.job.importers.TextFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JSON file of measured cells: one array of objects, one for each cell. Not thread-safe. */
public final class GridFile {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private final Path file;
    private final List<ObjectNode> records = new ArrayList<>();

    /**
     * A file that may be there with cells of an earlier run.
     *
     * @throws SluiceException if it is there and holds something else
     */
    public GridFile(Path file) {
        this.file = file;
        if (!Files.exists(file)) {
            return;
        }
        try {
            for (JsonNode node : JSON.readTree(file.toFile())) {
                records.add((ObjectNode) node);
            }
        } catch (JsonProcessingException | ClassCastException e) {
            throw new SluiceException(
                    file + ": is not an array of cells; name another file with --out", e);
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("file", file, e), e);
        }
    }

    /** Writes a cell, instead of the one of an earlier run. */
    void put(CellBench.Result result) {
        ObjectNode record = of(result.cell());
        fill(record, result);
        put(record);
    }

    /**
     * Writes a cell, instead of the one of an earlier run.
     *
     * @param record made by {@link #of}
     */
    public void put(ObjectNode record) {
        records.removeIf(r -> r.path("cell").equals(record.path("cell")));
        records.add(record);
        try {
            JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), records);
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describeWriting(file, e), e);
        }
    }

    /** A record that names a cell, to be filled with what was measured. */
    public static ObjectNode of(Cell cell) {
        ObjectNode record = JSON.createObjectNode();
        record.put("cell", cell.name());
        record.put("shape", cell.shape().label());
        record.put("rules", cell.rules());
        if (cell.counts() != null) {
            record.put("kinds", cell.counts().kinds());
            record.put("depth", cell.counts().depth());
        }
        if (cell.ipv6Share() != 0) {
            record.put("ipv6Share", cell.ipv6Share());
        }
        return record;
    }

    private static void fill(ObjectNode record, CellBench.Result result) {
        record.put("ruleCount", result.ruleCount());
        record.put("algorithm", result.engine().algorithm().label());
        record.put("explanation", result.explanation());
        record.put("mpps", result.engine().mpps());
        record.put("mppsMin", result.engine().mppsMin());
        record.put("mppsMax", result.engine().mppsMax());
        record.put("buildSeconds", result.engine().buildSeconds());
        record.put("imageBytes", result.engine().imageBytes());
        record.put("linearHeaders", result.answered());
        record.put("wrong", result.wrong());
        if (result.refusal() != null) {
            record.put("refusal", result.refusal());
        }
        RteAcl.Result rival = result.rteAcl();
        if (rival != null && rival.failure() != null) {
            record.put("rteAclFailure", rival.failure());
        } else if (rival != null) {
            record.put("rteAclForm", rival.form());
            record.put("rteAclMpps", rival.mpps());
            record.put("rteAclBuildSeconds", rival.buildSeconds());
            record.put("rteAclMegabytes", rival.megabytes());
            record.put("rteAclWrong", rival.wrong());
        }
    }
}
