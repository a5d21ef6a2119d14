package dev.sluice.job.flink;

import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.externalresource.ExternalResourceDriver;
import org.apache.flink.api.common.externalresource.ExternalResourceDriverFactory;
import org.apache.flink.configuration.Configuration;

/**
 * Factory of the driver that assigns each GPU of a host to one TaskManager at a time.
 *
 * <p>Options follow {@code external-resource.NAME.param.}: {@code devices}, numbers separated by
 * commas (default: all that the CUDA driver lists), and {@code locks}, a folder that the
 * TaskManagers of a host share (default: the folder of temporary files).
 */
public final class GpuResourceFactory implements ExternalResourceDriverFactory {
    private static final String DEVICES = "devices";
    private static final String LOCKS = "locks";

    @Override
    public ExternalResourceDriver createExternalResourceDriver(Configuration config) {
        String named = config.getString(DEVICES, "auto");
        List<Integer> devices = new ArrayList<>(GpuPool.Selection.parse(named).ids());
        for (int d = 0; named.equals("auto") && d < JCudaGpuDriver.get().devices(); d++) {
            devices.add(d);
        }
        String folder = config.getString(LOCKS, System.getProperty("java.io.tmpdir"));
        return new GpuResourceDriver(devices, Path.of(folder));
    }
}
