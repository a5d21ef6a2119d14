package dev.sluice.lab.backend;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.engine.EngineFigures;

/**
 * Number of headers of a benchmark by the backend that classified them.
 *
 * @param byCpu headers that the CPU classified, be it because a batch had failed on a device
 * @param byDevice headers that a device classified
 */
public record Classified(long byCpu, long byDevice) {
    /**
     * Returns the counts between two figures of an engine.
     *
     * @param headers that it classified in between
     */
    public static Classified between(EngineFigures before, EngineFigures after, long headers) {
        long byDevice = after.deviceHeaders() - before.deviceHeaders();
        return new Classified(headers - byDevice, byDevice);
    }

    /** Names the backends that classified: cpu, gpu, or both. */
    public String backend() {
        if (byDevice == 0) {
            return "cpu";
        }
        return byCpu == 0 ? "gpu" : "both";
    }

    /** Share of a device in all headers. */
    public double deviceShare() {
        return byDevice == 0 ? 0 : (double) byDevice / (byCpu + byDevice);
    }

    /** Adds what classified, and the shares, to an object. */
    public void describe(ObjectNode node) {
        node.put("backend", backend());
        node.put("cpuShare", 1 - deviceShare());
        node.put("gpuShare", deviceShare());
    }
}
