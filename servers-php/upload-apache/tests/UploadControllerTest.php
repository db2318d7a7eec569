<?php

declare(strict_types=1);

namespace Samewire\Upload\Tests;

use PHPUnit\Framework\TestCase;
use Samewire\Upload\Problem;
use Samewire\Upload\UploadController;

final class UploadControllerTest extends TestCase
{
    public function testFilesStayInTheirOrder(): void
    {
        $sent = UploadController::sent(self::field(['é.txt', UPLOAD_ERR_OK], ['b', UPLOAD_ERR_OK]));

        self::assertSame(['é.txt', 'b'], array_column($sent, 'name'));
        self::assertSame(['/tmp/0', '/tmp/1'], array_column($sent, 'tmp_name'));
        self::assertSame([0, 1], array_column($sent, 'size'));
    }

    public function testAnEmptyFileFieldIsNoFile(): void
    {
        $sent = UploadController::sent(self::field(['', UPLOAD_ERR_NO_FILE], ['b', UPLOAD_ERR_OK]));

        self::assertSame(['b'], array_column($sent, 'name'));
    }

    /** @dataProvider refused */
    public function testWhatIsRefused(array $field, int $status): void
    {
        $this->expectException(Problem::class);
        $this->expectExceptionCode($status);
        @UploadController::sent($field);
    }

    /** @return iterable<string, array{array<string, mixed>, int}> */
    public static function refused(): iterable
    {
        $ok = ['a', UPLOAD_ERR_OK];
        yield 'no file' => [[], 400];
        yield 'an empty field alone' => [self::field(['', UPLOAD_ERR_NO_FILE]), 400];
        yield 'three files' => [self::field($ok, $ok, $ok), 400];
        yield 'not UTF-8' => [self::field(["\xFF", UPLOAD_ERR_OK]), 400];
        yield 'a character in two names' => [self::field(["a\xC3", UPLOAD_ERR_OK], ["\xA9b", UPLOAD_ERR_OK]), 400];
        yield 'cut' => [self::field($ok, ['b', UPLOAD_ERR_PARTIAL]), 400];
        yield 'too large' => [self::field($ok, ['b', UPLOAD_ERR_INI_SIZE]), 413];
        yield 'disk full' => [self::field($ok, ['b', UPLOAD_ERR_CANT_WRITE]), 507];
        yield 'a field files' => [['name' => 'a', 'error' => UPLOAD_ERR_OK, 'tmp_name' => '/tmp/0', 'size' => 0], 400];
        yield 'a field files[][]' => [['name' => [['a']], 'error' => [[UPLOAD_ERR_OK]]], 400];
    }

    public function testAnUploadThatIsNotThere(): void
    {
        $this->expectExceptionObject(new Problem(404, 'No such upload.'));
        (new UploadController(sys_get_temp_dir(), 9))->show('00000000-0000-4000-8000-000000000000');
    }

    public function testFilesAreTogetherNoLargerThanARequest(): void
    {
        error_clear_last();
        $_SERVER['CONTENT_TYPE'] = 'multipart/form-data; boundary=b';
        $field = [...self::field(['a', UPLOAD_ERR_OK], ['b', UPLOAD_ERR_OK]), 'size' => [5, 5]];

        $this->expectExceptionObject(new Problem(413, 'The request is too large.'));
        (new UploadController(sys_get_temp_dir(), 9))->create(['files' => $field]);
    }

    public function testAFormOfWhichPhpHasSkippedPartsIsRefused(): void
    {
        @trigger_error('Maximum number of allowable file uploads has been exceeded', E_USER_WARNING);
        $_SERVER['CONTENT_TYPE'] = 'multipart/form-data; boundary=b';

        $this->expectExceptionCode(400);
        (new UploadController(sys_get_temp_dir(), 9))->create(['files' => self::field(['a', UPLOAD_ERR_OK])]);
    }

    /**
     * @param array{string, int} ...$files name and error
     * @return array<string, list<mixed>> as PHP has it for a field with []
     */
    private static function field(array ...$files): array
    {
        return [
            'name' => array_column($files, 0),
            'tmp_name' => array_map(static fn (int $i): string => "/tmp/$i", array_keys($files)),
            'error' => array_column($files, 1),
            'size' => array_keys($files),
        ];
    }
}
