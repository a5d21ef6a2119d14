package dev.sluice.job.endtoend;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.AttachOperationFailedException;
import com.sun.tools.attach.VirtualMachine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.job.Topics;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.graph.LocalFlink;
import dev.sluice.job.kafka.Framing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.job.packets.PacketFormat;
import dev.sluice.operators.classify.ClassifyOptions;
import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.operators.statistics.StatisticsOptions;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.flink.configuration.Configuration;
import org.apache.kafka.common.record.CompressionType;

/**
 * A job without an end in a process of its own with little memory, which is asked what it takes.
 */
public final class MeasuredJob implements AutoCloseable {
    private static final String NAME = "dev.sluice.test:type=MeasuredJob";
    private static final int PARALLELISM = 2;

    /** What Flink's network buffers take, and 64 MiB for all else. */
    private static final String DIRECT_MEMORY = "-XX:MaxDirectMemorySize=192m";

    /**
     * What is varied of a job.
     *
     * @param algorithm its label
     */
    record Plan(String algorithm, int batchSize, long maxDelayMicros) {}

    /**
     * What a process takes.
     *
     * @param heap bytes of objects that are left after a full collection
     * @param direct bytes of buffers outside the heap
     * @param resident bytes of the whole process in memory
     */
    record Memory(long heap, long direct, long resident) {}

    private final Process process;
    private final Path log;
    private final JMXConnector connector;
    private final MemoryMXBean memory;
    private final BufferPoolMXBean direct;
    private final MeasuredJobMXBean job;

    /**
     * Starts a job.
     *
     * @param heapMebibytes of its process
     * @param folder for its checkpoints and its log
     */
    MeasuredJob(Topics topics, Plan plan, int heapMebibytes, Path folder) throws Exception {
        log = folder.resolve("log");
        process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                // All of the heap at once: what the process takes on top is seen.
                                "-Xms" + heapMebibytes + "m",
                                "-Xmx" + heapMebibytes + "m",
                                "-XX:+AlwaysPreTouch",
                                DIRECT_MEMORY,
                                "-XX:+ExitOnOutOfMemoryError",
                                "--add-opens=java.base/java.util=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "-Dlog4j2.configurationFile=../deploy/conf/log4j2-cli.properties",
                                "-cp",
                                System.getProperty("java.class.path"),
                                MeasuredJob.class.getName(),
                                folder.toString(),
                                topics.bootstrap(),
                                topics.names().packets().replaceFirst("-p$", ""),
                                plan.algorithm(),
                                String.valueOf(plan.batchSize()),
                                String.valueOf(plan.maxDelayMicros()))
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            connector = JMXConnectorFactory.connect(address());
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            memory = ManagementFactory.getPlatformMXBean(beans, MemoryMXBean.class);
            direct =
                    ManagementFactory.getPlatformMXBeans(beans, BufferPoolMXBean.class).stream()
                            .filter(pool -> pool.getName().equals("direct"))
                            .findFirst()
                            .orElseThrow();
            ObjectName name = new ObjectName(NAME);
            while (!beans.isRegistered(name)) {
                requireRunning();
            }
            job = JMX.newMXBeanProxy(beans, name, MeasuredJobMXBean.class);
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    private JMXServiceURL address() throws Exception {
        VirtualMachine machine = attach();
        try {
            while (true) {
                try {
                    return new JMXServiceURL(machine.startLocalManagementAgent());
                } catch (AttachOperationFailedException e) {
                    requireRunning(); // it has not come so far
                }
            }
        } finally {
            machine.detach();
        }
    }

    /**
     * A process that has no core for a while does not answer within the time that Java gives it.
     */
    private VirtualMachine attach() throws Exception {
        while (true) {
            try {
                return VirtualMachine.attach(String.valueOf(process.pid()));
            } catch (AttachNotSupportedException e) {
                requireRunning();
            }
        }
    }

    /** What the process takes now. */
    Memory memory() throws IOException {
        requireRunning();
        memory.gc();
        long resident = 0;
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                resident = Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        return new Memory(memory.getHeapMemoryUsage().getUsed(), direct.getMemoryUsed(), resident);
    }

    /** How long the source of packets is held back, in ms of each second. */
    long heldBackMillis() throws IOException {
        requireRunning();
        return job.getHeldBackMillis();
    }

    /** Fails with what the job has printed if it has ended, or has failed and started again. */
    void requireRunning() throws IOException {
        if (!process.isAlive() || job != null && job.getFailures() > 0) {
            throw new AssertionError("the job has failed:\n" + Files.readString(log));
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        if (connector != null) {
            connector.close(); // or a thread of it asks on for a process that is gone
        }
        process.destroyForcibly().waitFor();
    }

    /** The process: a job with the arguments as the constructor orders them. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        Topics topics = Topics.of(arguments[1], arguments[2]);
        EngineOptions engine = EngineOptions.of(Algorithm.of(arguments[3])).withFlowCache(0);
        ClassifyOptions classify =
                new ClassifyOptions(
                        engine,
                        Integer.parseInt(arguments[4]),
                        Long.parseLong(arguments[5]),
                        4,
                        64,
                        VerdictFormat.BLOCKS,
                        VerdictFields.NONE);
        JobOptions options =
                new JobOptions(
                        new KafkaClients(topics.bootstrap()),
                        topics.names(),
                        PacketFormat.AVRO,
                        classify,
                        StatisticsOptions.OFF,
                        arguments[2],
                        JobOptions.StartFrom.EARLIEST,
                        false,
                        arguments[2],
                        Duration.ofMinutes(10),
                        Duration.ofSeconds(1),
                        Framing.SINGLE_OBJECT,
                        CompressionType.NONE,
                        null,
                        null,
                        null,
                        null);
        Configuration config = LocalFlink.configuration(folder);
        BackPressure.addTo(config);
        AtomicInteger failures = new AtomicInteger();
        ManagementFactory.getPlatformMBeanServer()
                .registerMBean(new Figures(failures), new ObjectName(NAME));
        try (LocalFlink job = LocalFlink.start(options, PARALLELISM, config)) {
            while (!job.endsWithin(Duration.ofMillis(100))) {
                if (job.restart().isPresent()) {
                    failures.incrementAndGet();
                }
            }
            job.requireRunning();
        }
    }

    private record Figures(AtomicInteger failures) implements MeasuredJobMXBean {
        @Override
        public long getHeldBackMillis() {
            return BackPressure.millis("Source: packets");
        }

        @Override
        public int getFailures() {
            return failures.get();
        }
    }
}
