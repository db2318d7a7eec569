package org.samewire.todo

import org.apache.pekko.Done
import org.apache.pekko.actor.testkit.typed.scaladsl.ScalaTestWithActorTestKit
import org.apache.pekko.pattern.{CircuitBreakerOpenException, StatusReply}
import com.github.jasync.sql.db.Connection
import java.io.IOException
import java.lang.reflect.Proxy
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicInteger
import org.scalatest.wordspec.AnyWordSpecLike

class TodosTest extends ScalaTestWithActorTestKit with AnyWordSpecLike {
  private val asked = new AtomicInteger

  private val away = Proxy
    .newProxyInstance(
      getClass.getClassLoader,
      Array[Class[_]](classOf[Connection]),
      (_, _, _) => {
        asked.incrementAndGet()
        CompletableFuture.failedFuture[AnyRef](new IOException("refused"))
      }
    )
    .asInstanceOf[Connection]

  "While the database is away, the actor" should {
    "ask it a few times, then refuse at once" in {
      val todos = testKit.spawn(Todos(new TodoTable(away)))
      val probe = testKit.createTestProbe[StatusReply[Done]]()
      val failures = Seq.fill(7) {
        todos ! Todos.Ping(probe.ref)
        probe.receiveMessage().getError
      }
      failures.take(5).foreach(_ shouldBe a[DatabaseAway])
      failures.drop(5).foreach(_ shouldBe a[CircuitBreakerOpenException])
      asked.get shouldBe 5
    }
  }
}
