package dev.sluice.job.lab.grid;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.lab.sets.RecordFile;
import java.nio.file.Path;
import java.util.List;

/** A JSON file of measured cells: one array of objects, one for each cell. Not thread-safe. */
public final class GridFile {
    private final RecordFile file;

    /**
     * A file that may be there with cells of an earlier run.
     *
     * @throws dev.sluice.job.SluiceException if it is there and holds something else
     */
    public GridFile(Path file) {
        this.file = new RecordFile(file, List.of("cell"), "cells");
    }

    /**
     * Writes a cell, instead of the one of an earlier run.
     *
     * @param record made by {@link #of}
     */
    public void put(ObjectNode record) {
        file.put(record);
    }

    /** A record that names a cell, to be filled with what was measured. */
    public static ObjectNode of(Cell cell) {
        ObjectNode record = JsonNodeFactory.instance.objectNode();
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

    /** The record of what was measured in a cell. */
    static ObjectNode of(CellBench.Result result) {
        ObjectNode record = of(result.cell());
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
        return record;
    }
}
