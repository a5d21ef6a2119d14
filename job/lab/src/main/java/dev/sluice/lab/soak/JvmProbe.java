package dev.sluice.lab.soak;

import com.sun.management.UnixOperatingSystemMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** Asks a Java process of the same user what it takes. */
final class JvmProbe implements AutoCloseable {
    private static final String ATTACH = "jdk.attach";

    private final JMXConnector connector;
    private final MemoryMXBean memory;
    private final BufferPoolMXBean direct;
    private final ThreadMXBean threads;
    private final UnixOperatingSystemMXBean system;

    /**
     * Resources that processes take.
     *
     * @param heap bytes of objects that are left after a full collection
     * @param direct bytes of buffers outside the heap
     * @param descriptors open files, sockets among them
     */
    record Taken(long heap, long direct, long threads, long descriptors) {
        static final Taken NOTHING = new Taken(0, 0, 0, 0);

        /** The sums with another one. */
        Taken and(Taken other) {
            return new Taken(
                    heap + other.heap,
                    direct + other.direct,
                    threads + other.threads,
                    descriptors + other.descriptors);
        }
    }

    private JvmProbe(JMXConnector connector) throws IOException {
        this.connector = connector;
        MBeanServerConnection beans = connector.getMBeanServerConnection();
        memory = ManagementFactory.getPlatformMXBean(beans, MemoryMXBean.class);
        threads = ManagementFactory.getPlatformMXBean(beans, ThreadMXBean.class);
        system = ManagementFactory.getPlatformMXBean(beans, UnixOperatingSystemMXBean.class);
        direct =
                ManagementFactory.getPlatformMXBeans(beans, BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .findFirst()
                        .orElseThrow();
    }

    /** Tells whether this Java can ask others; one without {@code jdk.attach} cannot. */
    static boolean isPossible() {
        return ModuleLayer.boot().findModule(ATTACH).isPresent();
    }

    /** A probe of a process, by its id. */
    @SuppressWarnings("BanJNDI") // the address is that of a process of this user on this machine
    static JvmProbe of(long pid) {
        try {
            VirtualMachine machine = VirtualMachine.attach(String.valueOf(pid));
            try {
                return new JvmProbe(
                        JMXConnectorFactory.connect(
                                new JMXServiceURL(machine.startLocalManagementAgent())));
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | IOException e) {
            throw unreachable(pid, e);
        }
    }

    private static SluiceException unreachable(long pid, Exception e) {
        return new SluiceException(
                "process %d does not tell what it takes: %s; see its log"
                        .formatted(pid, e.getMessage()),
                e);
    }

    /** Measures the resources of the process, behind a full collection. */
    Taken take() {
        memory.gc();
        return new Taken(
                memory.getHeapMemoryUsage().getUsed(),
                direct.getMemoryUsed(),
                threads.getThreadCount(),
                system.getOpenFileDescriptorCount());
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException e) {
            throw new SluiceException("a probe does not end: " + e.getMessage(), e);
        }
    }
}
