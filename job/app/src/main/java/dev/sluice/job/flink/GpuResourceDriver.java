package dev.sluice.job.flink;

import dev.sluice.job.FolderLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.common.externalresource.ExternalResourceDriver;
import org.apache.flink.api.common.externalresource.ExternalResourceInfo;

/**
 * Driver that assigns GPUs to TaskManagers by file locks.
 *
 * <p>Two TaskManagers of a host never get the same GPU. The operating system releases the locks of
 * a killed process. Not thread-safe: Flink asks once.
 */
final class GpuResourceDriver implements ExternalResourceDriver {
    private final List<Integer> devices;
    private final Path locks;

    /** Locks that are held while the process lives. */
    private final List<FolderLock> held = new ArrayList<>();

    GpuResourceDriver(List<Integer> devices, Path locks) {
        this.devices = devices;
        this.locks = locks;
    }

    /** GPU, by its number in the CUDA driver. */
    record Device(int number) implements ExternalResourceInfo {
        private static final String INDEX = "index";

        @Override
        public Optional<String> getProperty(String key) {
            return key.equals(INDEX) ? Optional.of(String.valueOf(number)) : Optional.empty();
        }

        @Override
        public List<String> getKeys() {
            return List.of(INDEX);
        }
    }

    @Override
    public Set<? extends ExternalResourceInfo> retrieveResourceInfo(long amount)
            throws IOException {
        Files.createDirectories(locks);
        Set<Device> taken = new HashSet<>();
        for (int device : devices) {
            if (taken.size() < amount && take(device)) {
                taken.add(new Device(device));
            }
        }
        if (taken.size() < amount) {
            close();
            throw new IOException(
                    "of the GPUs %s %s are free where this TaskManager is to have %s; lower external-resource.gpu.amount, or run fewer TaskManagers here"
                            .formatted(devices, taken.size(), amount));
        }
        return taken;
    }

    private boolean take(int device) throws IOException {
        Optional<FolderLock> lock = FolderLock.take(locks, "sluice-gpu-" + device + ".lock");
        lock.ifPresent(held::add);
        return lock.isPresent();
    }

    /** Releases the GPUs. */
    void close() {
        held.forEach(FolderLock::close);
        held.clear();
    }
}
